#include "tests/cli/cli_support.h"

namespace instantgp::testing {
namespace {

TEST(CliUpdateTest, AddsRowsInPlaceOrElsewhere) {
  const TemporaryFolder folder;
  const std::string data = folder.Write("data.csv", RandomCsv(40, 2));
  const std::string rows = folder.Write("new.csv", RandomCsv(6, 2, 9));
  const std::string model = folder.Path("m.gp"), other = folder.Path("other.gp");
  ASSERT_EQ(Cli({"fit", data, "--model", model}).code, 0);
  const auto j = ParseJson(Cli({"update", model, rows, "--keep", "--model", other, "--json"}));
  EXPECT_EQ(j.at("schema"), "instantgp/update/1");
  EXPECT_EQ(j.at("n"), 46);
  EXPECT_EQ(j.at("added"), 6);
  EXPECT_EQ(j.at("reinferred"), false);
  EXPECT_TRUE(j.at("drift").at("nll_standardized").is_number());
  EXPECT_EQ(ParseJson(Cli({"info", model, "--json"})).at("model").at("n"), 40);
  EXPECT_EQ(ParseJson(Cli({"info", other, "--json"})).at("model").at("n"), 46);
  const ProcessResult text = Cli({"update", model, rows, "--reinfer"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("inferred again"), std::string::npos) << text.out;
  EXPECT_EQ(ParseJson(Cli({"info", model, "--json"})).at("model").at("n"), 46);
  ExpectFails(Cli({"update", model, rows, "--reinfer", "--keep"}), 2, "--keep");
  ExpectFails(Cli({"update", model, rows, "--method", "magic"}), 2, "no method");
  ExpectFails(Cli({"update", model, folder.Write("x.csv", "x1,x2\n1,2\n")}), 3, "target");
}

}  // namespace
}  // namespace instantgp::testing
