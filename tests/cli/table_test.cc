// Tables with dates, categories and gaps through the program, end to end.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "instantgp/base/file.h"
#include "tests/cli/cli_support.h"
#include "tests/support/mixed_table.h"

namespace instantgp::testing {
namespace {

std::string Path(const std::string& name) {
  static const TemporaryFolder kFolder;
  return kFolder.Path(name);
}

std::string Written(const std::string& name, const std::string& text) {
  WriteFileAtomically(Path(name), text);
  return Path(name);
}

const std::vector<std::string> kKernel = {"--kernel",
                                          "(LIN(month) + PER(month, period=1 year)) * SE(city) * SE(price)"};

std::vector<std::string> With(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(CliTableTest, AMixedTableEndToEnd) {
  const MixedTable csv = MakeMixedTable(54);
  const std::string train = Written("train.csv", csv.train), test = Written("test.csv", csv.test);
  const std::string model = Path("mixed.gp");
  const auto j =
      ParseJson(Cli(With({"fit", train, "--missing", "impute", "--model", model, "--json", "--explain"}, kKernel)));
  EXPECT_EQ(j.at("kernel_short"), "(LIN(month) + PER(month, period=12 months)) * SE(city) * SE(price)");
  const auto& table = j.at("table");
  EXPECT_EQ(table[0].at("kind"), "date");
  EXPECT_EQ(table[0].at("format"), "%Y-%m");
  EXPECT_EQ(table[0].at("step"), "monthly");
  EXPECT_EQ(table[0].at("unit"), "months");
  EXPECT_EQ(table[0].at("zero"), "2015-01");
  EXPECT_EQ(table[1].at("levels"), (std::vector<std::string>{"New York", "Paris", "Zürich"}));
  EXPECT_EQ(table[2].at("inputs"), (std::vector<std::string>{"price", "price missing"}));
  EXPECT_EQ(table[3].at("kind"), "left out");
  bool yearly = false;
  for (const auto& p : j.at("parameters")) yearly = yearly || p.value("in_words", "") == "12 months, yearly";
  EXPECT_TRUE(yearly);
  EXPECT_NE(j.at("explanation").dump().find("SE(city)"), std::string::npos);

  // Predictions beside the targets are scored; the same from the model's file.
  const auto predicted = ParseJson(Cli({"predict", model, test, "--json"}));
  EXPECT_LT(predicted.at("scores").at("rmse_standardized"), 0.4);
  const auto at_once =
      ParseJson(Cli(With({"fit", train, "--missing", "impute", "--predict", test, "--json"}, kKernel)));
  EXPECT_EQ(at_once.at("predictions").at("mean"), predicted.at("mean"));

  // The report, for people.
  const auto text = Cli(With({"fit", train, "--missing", "impute", "--explain"}, kKernel));
  for (const std::string word : {"dates %Y-%m, monthly", "categories New York, Paris, Zürich", "price missing",
                                 "left out", "12 months, yearly", "city=Paris"}) {
    EXPECT_NE(text.out.find(word), std::string::npos) << word << "\n" << text.out;
  }
  EXPECT_NE(Cli({"info", model}).out.find("monthly"), std::string::npos);

  // More rows.
  const auto updated = ParseJson(Cli({"update", model, test, "--json", "--keep"}));
  EXPECT_EQ(updated.at("added"), 18);
  EXPECT_EQ(updated.at("table"), table);
}

TEST(CliTableTest, EnsembleAndSearchTakeThemToo) {
  const MixedTable csv = MakeMixedTable(30);
  const std::string train = Written("small.csv", csv.train), test = Written("small_test.csv", csv.test);
  const std::string kernels = Written("kernels.txt", "SE\nSE(month)*SE(city)\nLIN\n");
  const std::string model = Path("ensemble.gp");
  const auto e =
      ParseJson(Cli({"ensemble", train, "--missing", "impute", "--kernels", kernels, "--model", model, "--json"}));
  EXPECT_EQ(e.at("table")[0].at("kind"), "date");
  EXPECT_EQ(ParseJson(Cli({"predict", model, test, "--json"})).at("n"), 18);
  const auto s =
      ParseJson(Cli({"search", train, "--missing", "impute", "--depth", "1", "--refine-top", "1", "--json"}));
  EXPECT_EQ(s.at("table")[1].at("kind"), "category");
  EXPECT_NE(s.dump().find("differs by category"), std::string::npos);
  // Along levels and gaps there is nothing but SE.
  EXPECT_EQ(s.dump().find("PER(city"), std::string::npos);
  EXPECT_EQ(s.dump().find("LIN(\\\"city"), std::string::npos);
}

TEST(CliTableTest, EmptyTargetsAreRowsToPredict) {
  const std::string csv = "d,y\n2020-01-01,1\n2020-01-02,2\n2020-01-03,3\n2020-01-04,\n2020-01-05,5\n2020-01-06,NA\n";
  const auto j = ParseJson(Cli({"fit", "-", "--json"}, csv));
  EXPECT_EQ(j.at("n"), 4);
  EXPECT_EQ(j.at("predictions").at("mean").size(), 2u);
  const auto text = Cli({"fit", "-"}, csv);
  EXPECT_NE(text.out.find("2 rows without a target"), std::string::npos) << text.out;
  const std::string output = Path("open.csv");
  EXPECT_EQ(Cli({"fit", "-", "--output", output, "--quiet"}, csv).code, 0);
  EXPECT_EQ(ReadFile(output).substr(0, 4), "mean");
  ExpectFails(Cli({"fit", "-", "--output", output}, "a,y\n1,1\n2,2\n"), 2, "--predict");
}

TEST(CliTableTest, WhatCannotBeReadIsSaidWithItsPlaceAndCure) {
  ExpectFails(Cli({"fit", "-"}, "d,y\n01/02/2020,1\n03/02/2020,2\n"), 3, "--date-format");
  EXPECT_EQ(Cli({"fit", "-", "--date-format", "%d/%m/%Y"}, "d,y\n01/02/2020,1\n03/02/2020,2\n").code, 0);
  ExpectFails(Cli({"fit", "-"}, "a,y\n1,1\nx,2\n3,3\n"), 3, "line 3, column 'a': 'x' is not a number");
  ExpectFails(Cli({"fit", "-"}, "a,y\n1,1\nx,2\n3,3\n"), 3, "--categorical a");
  EXPECT_EQ(Cli({"fit", "-", "--categorical", "a"}, "a,y\n1,1\nx,2\n3,3\n").code, 0);
  ExpectFails(Cli({"fit", "-", "--kernel", "PER(c)"}, "c,y\nu,1\nv,2\nu,3\n"), 3, "holds categories");
  ExpectFails(Cli({"fit", "-"}, "a,y\n1,1\n,2\n3,3\n"), 3, "--missing drop");
  ExpectFails(Cli({"fit", "-", "--missing", "guess"}, "a,y\n1,1\n"), 2);
  ExpectFails(Cli({"fit", "-"}, "a,y\n1,one\n2,two\n"), 3, "the target must hold numbers");
}

TEST(CliTableTest, UnseenLevelsAndNewGaps) {
  const std::string model = Path("levels.gp");
  const std::string csv = "c,a,y\nu,1,1\nv,2,2\nu,3,1\nv,4,2\nu,5,1.1\n";
  ASSERT_EQ(Cli({"fit", "-", "--model", model, "--quiet"}, csv).code, 0);
  ExpectFails(Cli({"predict", model, "-"}, "c,a\nu,1\nw,2\n"), 3, "line 3, column 'c': the level 'w'");
  ExpectFails(Cli({"predict", model, "-"}, "c,a\nu,1\nw,2\n"), 3, "--unseen other");
  const auto other = Cli({"predict", model, "-", "--unseen", "other"}, "c,a\nu,1\nw,2\n");
  EXPECT_EQ(other.code, 0);
  EXPECT_NE(other.err.find("taken as other"), std::string::npos) << other.err;
  ExpectFails(Cli({"predict", model, "-"}, "c,a\nu,\n"), 3, "line 2, column 'a': the value is missing");
  EXPECT_EQ(ParseJson(Cli({"predict", model, "-", "--missing", "drop", "--json"}, "c,a\nu,\nv,1\n")).at("n"), 1);
  // Columns by name, in any order; without a header by position.
  const auto a = ParseJson(Cli({"predict", model, "-", "--json"}, "a,extra,c\n2,hello,u\n"));
  const auto b = ParseJson(Cli({"predict", model, "-", "--json"}, "c,a\nu,2\n"));
  EXPECT_EQ(a.at("mean"), b.at("mean"));
  ExpectFails(Cli({"predict", model, "-"}, "city,a\nu,1\n"), 3, "the model needs the column 'c'");
  ExpectFails(Cli({"update", model, "-"}, "c,a,y\nw,1,1\n"), 3, "--unseen other");
}

TEST(CliTableTest, WithoutAHeaderColumnsAreMatchedByPosition) {
  std::string csv;
  for (int i = 1; i < 20; ++i) {
    csv +=
        "2020-03-" + std::to_string(100 + i).substr(1) + "," + std::to_string(i % 3) + "," + std::to_string(i) + "\n";
  }
  const std::string model = Path("positions.gp");
  const auto j = ParseJson(Cli({"fit", "-", "--categorical", "2", "--model", model, "--json"}, csv));
  EXPECT_EQ(j.at("n"), 19);
  EXPECT_EQ(j.at("columns"), (std::vector<std::string>{"x1", "x2=0", "x2=1", "x2=2"}));
  const auto named = ParseJson(Cli({"predict", model, "-", "--json"}, "x2,x1\n1,2020-03-25\n"));
  EXPECT_EQ(ParseJson(Cli({"predict", model, "-", "--json"}, "2020-03-25,1\n")).at("mean"), named.at("mean"));
  EXPECT_EQ(ParseJson(Cli({"predict", model, "-", "--json"}, "2020-03-25,1,7\n")).at("mean"), named.at("mean"));
  ExpectFails(Cli({"predict", model, "-"}, "2020-03-25,1,7,8\n"), 3, "4 columns and no header");
}

TEST(CliTableTest, HeldOutRowsDecideNothing) {
  // The only row of level "w" is held out by some seed: a note, not an error.
  std::string csv = "c,a,y\n";
  for (int i = 0; i < 12; ++i)
    csv += (i == 5 ? "w," : i % 2 ? "u," : "v,") + std::to_string(i) + ",1." + std::to_string(i) + "\n";
  bool held_out = false;
  for (int seed = 0; seed < 12 && !held_out; ++seed) {
    const auto j = ParseJson(Cli({"fit", "-", "--holdout", "0.3", "--seed", std::to_string(seed), "--json"}, csv));
    held_out = j.at("warnings").dump().find("held out: 1 row with levels") != std::string::npos;
    EXPECT_EQ(j.at("table")[0].at("levels").size(), held_out ? 2u : 3u);
  }
  EXPECT_TRUE(held_out);
}

TEST(CliTableTest, TenThousandTextsAreNamesOfRows) {
  std::string csv = "id,a,y\n";
  for (int i = 0; i < 300; ++i) {
    csv += "id-" + std::to_string(i * 7919) + "," + std::to_string(i) + "," + std::to_string(i % 10) + "\n";
  }
  const auto j = ParseJson(Cli({"fit", "-", "--json"}, csv));
  EXPECT_EQ(j.at("columns"), std::vector<std::string>{"a"});
  EXPECT_NE(j.at("warnings").dump().find("'id' was left out"), std::string::npos);
}

}  // namespace
}  // namespace instantgp::testing
