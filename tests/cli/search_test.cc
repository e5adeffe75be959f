#include "tests/cli/cli_support.h"
#include "tests/support/xml.h"

namespace instantgp::testing {
namespace {

TEST(CliSearchTest, JsonHoldsARankedListAndTheWinningFit) {
  const auto j = ParseJson(Cli({"search", "--example", "--holdout", "0.2", "--depth", "1", "--explain", "--json"}));
  EXPECT_GT(j.at("explanation").at("components").size(), 0u);
  EXPECT_EQ(j.at("schema"), "instantgp/search/1");
  ASSERT_GT(j.at("candidates").size(), 10u);
  EXPECT_EQ(j["candidates"][0].at("kernel"), j.at("kernel"));
  double sum = 0;
  for (const auto& c : j["candidates"]) {
    sum += c.at("weight").get<double>();
    EXPECT_TRUE(c.at("nlml_per_point").is_number() && c.at("score").is_number());
    EXPECT_EQ(c.at("status"), "ok");
    EXPECT_FALSE(c.at("words").get<std::string>().empty());
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_TRUE(j.at("holdout").at("nll").is_number());
  EXPECT_GT(j.at("parameters").size(), 0u);
  EXPECT_EQ(j.at("evaluated").get<std::size_t>(), j["candidates"].size() + j.at("failed").get<std::size_t>());
}

TEST(CliSearchTest, TextSaysItInWordsAndTheModelIsSaved) {
  const TemporaryFolder folder;
  const std::string data = folder.Write("data.csv", RandomCsv(30, 2));
  const std::string rows = folder.Write("new.csv", RandomCsv(5, 2, 7));
  const ProcessResult result = Cli({"search",
                                    data,
                                    "--beam",
                                    "2",
                                    "--depth",
                                    "1",
                                    "--refine-top",
                                    "2",
                                    "--budget",
                                    "30",
                                    "--top",
                                    "3",
                                    "--model",
                                    folder.Path("m.gp"),
                                    "--plot",
                                    folder.Path("f.svg"),
                                    "--explain",
                                    "--explain-plot",
                                    folder.Path("e.svg"),
                                    "--predict",
                                    rows,
                                    "--output",
                                    folder.Path("p.csv")});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* piece : {"Structures, best first", "In words", "refine", "more", "Parameters", "residual (noise)"}) {
    EXPECT_NE(result.out.find(piece), std::string::npos) << piece << "\n" << result.out;
  }
  EXPECT_EQ(Cli({"predict", folder.Path("m.gp"), rows}).out, folder.Read("p.csv"));
  for (const char* name : {"f.svg", "e.svg"}) EXPECT_EQ(XmlProblem(folder.Read(name)), "") << name;
  ExpectFails(Cli({"search"}), 2, "search needs a table");
  ExpectFails(Cli({"search", data, "--beam", "0"}), 2, "--beam");
}

}  // namespace
}  // namespace instantgp::testing
