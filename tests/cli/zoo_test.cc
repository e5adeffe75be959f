// Tables and kernels no one hopes for: each gets a defined result or an error that says what, where and how to mend it.
#include <cctype>
#include <cmath>
#include <functional>

#include "tests/cli/cli_support.h"
#include "tests/support/xml.h"

namespace instantgp::testing {
namespace {

constexpr int kWorks = 0, kBadInput = 3;

std::string Rows(int n, const std::function<std::string(int)>& row) {
  std::string text;
  for (int i = 0; i < n; ++i) text += row(i) + "\n";
  return text;
}
std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}
std::string Wave(int i) { return Number(std::sin(0.7 * i)); }

struct Animal {
  std::string name;
  std::string csv;
  int code = kWorks;
  std::string mentions;  // in the error, or among the warnings
};

std::vector<Animal> Zoo() {
  std::vector<Animal> zoo = {
      {"one row", "a,y\n1,2\n", kWorks, "only 1 row"},
      {"two rows", "a,y\n1,2\n3,5\n", kWorks, "only 2 row"},
      {"one row without header", "1,2\n", kWorks, ""},
      {"two equal rows", "a,y\n1,2\n1,2\n", kWorks, ""},
      {"constant column", "a,b,y\n" + Rows(12, [](int i) { return "5," + std::to_string(i) + "," + Wave(i); }), kWorks,
       "'a' is constant"},
      {"only constant columns", "a,b,y\n" + Rows(12, [](int i) { return "5,7," + Wave(i); }), kWorks, "constant"},
      {"constant target", "a,y\n" + Rows(12, [](int i) { return std::to_string(i) + ",3"; }), kWorks, "constant"},
      {"constant target of zero", "a,y\n" + Rows(12, [](int i) { return std::to_string(i) + ",0"; }), kWorks, ""},
      {"constant huge target", "a,y\n" + Rows(12, [](int i) { return std::to_string(i) + ",1e300"; }), kWorks, ""},
      {"everything constant", "a,y\n" + Rows(9, [](int) { return "1,1"; }), kWorks, "constant"},
      {"duplicates", "a,y\n" + Rows(30, [](int i) { return std::to_string(i % 5) + "," + Wave(i % 5); }), kWorks, ""},
      {"contradicting duplicates", "a,y\n" + Rows(30, [](int i) { return std::to_string(i % 5) + "," + Wave(i); }),
       kWorks, ""},
      {"near duplicates", "a,y\n" + Rows(30, [](int i) { return Number(i / 2 + (i % 2) * 1e-12) + "," + Wave(i / 2); }),
       kWorks, ""},
      {"huge values",
       "a,y\n" + Rows(15, [](int i) { return Number((i - 7) * 1e300) + "," + Number(std::sin(i) * 1e300); }), kWorks,
       ""},
      {"largest values", "a,y\n-1.7e308,1.7e308\n0,0\n1.7e308,-1.7e308\n", kWorks, ""},
      {"tiny values",
       "a,y\n" + Rows(15, [](int i) { return Number((i - 7) * 1e-300) + "," + Number(std::sin(i) * 1e-300); }), kWorks,
       ""},
      {"huge and tiny", "a,y\n1e-300,1e300\n1e300,1e-300\n1,1\n", kWorks, ""},
      {"denormal values", "a,y\n5e-324,1e-310\n1e-323,2e-310\n2e-323,1e-310\n", kWorks, ""},
      {"outlier in y", "a,y\n" + Rows(25, [](int i) { return std::to_string(i) + "," + (i == 9 ? "1e12" : Wave(i)); }),
       kWorks, ""},
      {"outlier in x", "a,y\n" + Rows(25, [](int i) { return (i == 9 ? "1e15" : std::to_string(i)) + "," + Wave(i); }),
       kWorks, ""},
      {"100 columns", RandomCsv(40, 100), kWorks, ""},
      {"CRLF", "a,y\r\n1,2\r\n2,3\r\n3,5\r\n", kWorks, ""},
      {"semicolons and decimal commas", "a;y\n1,5;2\n2,5;3\n3,5;4\n", kWorks, ""},
      {"tabs, comments, BOM", "\xEF\xBB\xBF# note\na\ty\n1\t2\n# more\n2\t3\n4\t4\n", kWorks, ""},
      {"odd names", "\"a, \"\"b\"\"\",\"<y> & 'z'\"\n1,2\n2,3\n4,4\n", kWorks, ""},
      {"NaN in x", "a,y\n1,2\nnan,3\n", kBadInput, "line 3"},
      {"NaN in y", "a,y\n1,nan\n2,3\n", kWorks, "1 row without a target"},
      {"NaN in every y", "a,y\n1,nan\n2,\n", kBadInput, "no row has a value of the target"},
      {"texts", "a,y\n" + Rows(20, [](int i) { return (i % 3 ? "u," : "v,") + Wave(i); }), kWorks, ""},
      {"names of rows alone", "a,y\n" + Rows(20, [](int i) { return "id" + std::to_string(i) + "," + Wave(i); }),
       kBadInput, "none is there twice"},
      {"dates", "a,y\n" + Rows(20, [](int i) { return "2020-01-" + std::to_string(10 + i) + "," + Wave(i); }), kWorks,
       ""},
      {"one date again and again", "a,y\n" + Rows(20, [](int i) { return "2020-01-10," + Wave(i); }), kWorks,
       "constant"},
      {"infinity", "a,y\n1,2\n2,inf\n", kBadInput, "line 3"},
      {"overflow", "a,y\n1,2\n2,1e999\n", kBadInput, "line 3"},
      {"wrong number of cells", "a,y\n1,2\n1,2,3\n", kBadInput, "line 3"},
      {"text cell", "a,y\n1,2\n1,two\n", kBadInput, "'two'"},
      {"empty file", "", kBadInput, "empty"},
      {"blank file", "\n\n\n", kBadInput, ""},
      {"header only", "a,y\n", kBadInput, "no rows"},
      {"one column", "y\n1\n2\n", kBadInput, "one column"},
      {"unterminated quote", "a,y\n\"1,2\n", kBadInput, "quote"},
      {"repeated name", "a,a\n1,2\n", kBadInput, "'a'"},
      {"bytes", std::string("\x00\x01\x02\xff\xfe", 5), kBadInput, ""},
  };
  return zoo;
}

bool HoldsNotANumber(const std::string& text) {
  for (const char* word : {"nan", "inf", "NaN", "Infinity"}) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const auto letter = [&](std::size_t i) {
        return i < text.size() && std::isalpha(static_cast<unsigned char>(text[i]));
      };
      if (!letter(at - 1) && !letter(at + std::string(word).size())) return true;
    }
  }
  return false;
}

TEST(CliZooTest, EveryTableGetsAResultOrAnExplanation) {
  for (const Animal& animal : Zoo()) {
    for (const char* kernel : {"SE", "SE + LIN*PER", "MAT52"}) {
      if (animal.name == "100 columns" && std::string(kernel) != "SE") continue;  // 700 parameters
      SCOPED_TRACE(animal.name + ", " + kernel);
      const TemporaryFolder folder;
      const std::string data = folder.Write("data.csv", animal.csv);
      const ProcessResult fit =
          Cli({"fit", data, "--kernel", kernel, "--steps", "30", "--json", "--model", folder.Path("m.gp"), "--plot",
               folder.Path("f.svg"), "--predict", data, "--output", folder.Path("p.csv")});
      if (animal.code != kWorks) {
        ExpectFails(fit, animal.code, animal.mentions);
        EXPECT_EQ(folder.Files(), std::vector<std::string>{"data.csv"});
        continue;
      }
      const auto j = ParseJson(fit);
      if (fit.code != kWorks) continue;
      EXPECT_NE(j.at("warnings").dump().find(animal.mentions), std::string::npos) << j.at("warnings");
      for (const auto& p : j.at("parameters")) {
        const double value = p.at("value").get<double>();
        // The likelihood of a constant target has no maximum: its amplitude may shrink until it underflows.
        EXPECT_TRUE(std::isfinite(value) && value > 0) << p;
      }
      EXPECT_TRUE(j.at("nlml_per_point").is_number());
      EXPECT_FALSE(HoldsNotANumber(folder.Read("p.csv"))) << folder.Read("p.csv");
      EXPECT_EQ(XmlProblem(folder.Read("f.svg")), "");
      EXPECT_FALSE(HoldsNotANumber(folder.Read("f.svg")));
      const ProcessResult text = Cli({"fit", data, "--kernel", kernel, "--steps", "30"});
      EXPECT_EQ(text.code, 0);
      EXPECT_FALSE(HoldsNotANumber(text.out)) << text.out;
      const ProcessResult predict = Cli({"predict", folder.Path("m.gp"), data});
      EXPECT_EQ(predict.code, 0) << predict.err;
      EXPECT_EQ(predict.out, folder.Read("p.csv"));
      EXPECT_FALSE(HoldsNotANumber(predict.err)) << predict.err;
    }
  }
}

TEST(CliZooTest, HoldoutOfTinyTables) {
  ExpectFails(Cli({"fit", "-", "--holdout", "0.5"}, "a,y\n1,2\n"), kBadInput);
  EXPECT_EQ(Cli({"fit", "-", "--holdout", "0.5"}, "a,y\n1,2\n2,3\n").code, 0);
  EXPECT_EQ(Cli({"fit", "-", "--holdout", "0.99"}, RandomCsv(5, 1)).code, 0);
}

TEST(CliZooTest, UnknownColumnsAreExplained) {
  ExpectFails(Cli({"fit", "-", "--target", "prize"}, "size,price\n1,2\n2,3\n"), kBadInput, "did you mean 'price'");
  ExpectFails(Cli({"fit", "-", "--target", "3"}, "size,price\n1,2\n2,3\n"), kBadInput, "size, price");
  ExpectFails(Cli({"fit", "-", "--kernel", "SE(sise)"}, "size,price\n1,2\n2,3\n"), kBadInput, "size");
  ExpectFails(Cli({"fit", "nowhere.csv"}), kBadInput, "nowhere.csv");
  ExpectFails(Cli({"fit", "/"}), kBadInput, "/");
}

TEST(CliZooTest, MalformedKernelsShowWhere) {
  for (const char* kernel :
       {"",      " ",      "S",     "SE +",     "+ SE",    "SE ++ LIN", "(SE", "SE)", "SE()",        "SE(",
        "SE(x1", "SE(9)",  "SE(0)", "SE(-1)",   "SE LIN",  "SE*",       "*",   "()",  "SE(x1)+LIN(", "SE^2",
        "2*SE",  "SE;LIN", "RBFF",  "\xff\xfe", "SE(\"x1)"}) {
    SCOPED_TRACE(kernel);
    const ProcessResult result = Cli({"fit", "-", "--kernel", kernel}, RandomCsv(8, 1));
    ExpectFails(result, kBadInput);
    EXPECT_NE(result.err.find('^'), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace instantgp::testing
