#include "instantgp/plot/figure.h"

#include <cmath>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "instantgp/base/rng.h"
#include "instantgp/plot/svg.h"
#include "tests/support/xml.h"

namespace instantgp::plot {
namespace {

using ::instantgp::testing::XmlProblem;

Vector Values(std::initializer_list<double> values) {
  Vector out(static_cast<Index>(values.size()));
  Index i = 0;
  for (double v : values) out[i++] = v;
  return out;
}

// Every kind of element over the same numbers.
std::string DrawEverything(const Vector& x, const Vector& y, Scale scale) {
  Figure figure(1, 2, {300, 200});
  figure.SetTitle("all");
  Axes& axes = figure.At(0, 0).Title("t").XLabel("x").YLabel("y").XScale(scale).YScale(scale);
  axes.Band(x, 0.5 * y, y, {}, "band").Line(x, y, {}, "line").Line(x, y, {PaletteColor(1), 1, true}, "dashed");
  int color = 0;
  for (Marker marker :
       {Marker::kDot, Marker::kRing, Marker::kSquare, Marker::kDiamond, Marker::kTriangle, Marker::kCross}) {
    axes.Scatter(x, y, {PaletteColor(color++), marker, 5}, "points");
  }
  axes.Bars(x, y, 0.5, {}, "bars").ErrorBars(x, 0.5 * y, y);
  axes.Box(1, SummarizeBox({y.begin(), y.end()}), 0.5, {}, "box");
  axes.HorizontalLine(1).VerticalLine(1).DiagonalLine().Text(1, 1, "here");
  figure.At(0, 1).XCategories({"a", "b & c"}).Bars(x, y, 0.5).Legend(LegendPlace::kInside).Line(x, y, {}, "l");
  return figure.ToSvg();
}

// Numbers inside attributes are all that could hold them.
void ExpectCleanSvg(const std::string& svg) {
  EXPECT_EQ(XmlProblem(svg), "");
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  EXPECT_EQ(svg.rfind("<svg ", 0), 0u);
  EXPECT_NE(svg.find("viewBox=\"0 0 "), std::string::npos);
}

TEST(XmlCheckerTest, SeesWhatIsWrong) {
  EXPECT_EQ(XmlProblem("<a b=\"1\" c=\"&amp;\"><d/>text</a>\n"), "");
  for (const char* bad :
       {"", "<a>", "<a></b>", "<a b=1/>", "<a b=\"1\" b=\"2\"/>", "<a>&nope;</a>", "<a>&</a>", "<a/><b/>", "text<a/>",
        "<a b=\"<\"/>", "<a>\x01</a>", "<a>\xFF</a>", "<a b=\"1\"c=\"2\"/>", "<a"}) {
    EXPECT_NE(XmlProblem(bad), "") << bad;
  }
}

TEST(FigureTest, AnyDataMakeWellFormedSvg) {
  const double kInf = std::numeric_limits<double>::infinity();
  const double kNaN = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Vector> cases = {Vector(),
                                     Values({3}),
                                     Values({2, 2, 2}),
                                     Values({0, 0}),
                                     Values({-1e300, 0, 1e300}),
                                     Values({1e-300, 2e-300}),
                                     Values({1e308, -1e308}),
                                     Values({1, kNaN, 3, kInf, -kInf, 5}),
                                     Values({kNaN}),
                                     Values({1e9, 1e9 + 1e-3}),
                                     Values({1e-12, 1, 1e12})};
  for (const Vector& x : cases) {
    for (const Vector& other : cases) {
      Vector y = Vector::Constant(x.size(), other.size() ? other[0] : 0);
      for (Index i = 0; i < std::min(x.size(), other.size()); ++i) y[i] = other[i];
      for (Scale scale : {Scale::kLinear, Scale::kLog}) ExpectCleanSvg(DrawEverything(x, y, scale));
    }
  }
}

TEST(FigureTest, TextIsEscaped) {
  const std::string nasty = "a<b> & \"c\" 'd' \x01 \xFF \xC3\xA9 ]]> <script>";
  Figure figure(1, 1);
  figure.SetTitle(nasty);
  const Vector x = Values({1, 2});
  figure.At(0, 0).Title(nasty).XLabel(nasty).YLabel(nasty).XCategories({nasty, nasty}).Line(x, x, {nasty, 1}, nasty);
  figure.At(0, 0).Text(1, 1, nasty).Scatter(x, x, {nasty}, nasty).Band(x, x, x, {nasty}, nasty);
  const std::string svg = figure.ToSvg();
  ExpectCleanSvg(svg);
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_NE(svg.find("a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;"), std::string::npos);
}

TEST(FigureTest, EscapeKeepsValidUtf8AndReplacesTheRest) {
  EXPECT_EQ(EscapeXml("\xC3\xA9\xE2\x88\x92\xF0\x9F\x98\x80"), "\xC3\xA9\xE2\x88\x92\xF0\x9F\x98\x80");
  const std::string replacement = "\xEF\xBF\xBD";
  EXPECT_EQ(EscapeXml("\xC3"), replacement);                                      // cut short
  EXPECT_EQ(EscapeXml("\xC0\xAF"), replacement + replacement);                    // overlong
  EXPECT_EQ(EscapeXml("\xED\xA0\x80"), replacement + replacement + replacement);  // surrogate
  EXPECT_EQ(EscapeXml(std::string_view("\0", 1)), replacement);
}

TEST(FigureTest, SameCallsGiveTheSameBytes) {
  RandomStream random(4);
  Vector x(50), y(50);
  for (Index i = 0; i < 50; ++i) {
    x[i] = random.Uniform();
    y[i] = random.Normal();
  }
  EXPECT_EQ(DrawEverything(x, y, Scale::kLinear), DrawEverything(x, y, Scale::kLinear));
}

TEST(FigureTest, FilesStaySmall) {
  const int n = 1000;
  const Vector x = Vector::LinSpaced(n, 0, 1);
  Figure figure(1, 1);
  figure.At(0, 0).Line(x, x.array().sin().matrix());
  EXPECT_LT(figure.ToSvg().size(), 25u * n);
}

TEST(FigureTest, AGapInterruptsTheLine) {
  const double kNaN = std::numeric_limits<double>::quiet_NaN();
  const auto moves = [](const Vector& y) {
    Figure figure(1, 1);
    figure.At(0, 0).Grid(false).Line(Vector::LinSpaced(y.size(), 0, 1), y, {"#123456"});
    const std::string svg = figure.ToSvg();
    const std::size_t end = svg.find("#123456");
    const std::size_t begin = svg.rfind("<path d=\"", end);
    int count = 0;
    for (std::size_t i = begin; i < end; ++i) count += svg[i] == 'M';
    return count;
  };
  EXPECT_EQ(moves(Values({1, 2, 3, 4, 5})), 1);
  EXPECT_EQ(moves(Values({1, 2, kNaN, 4, 5})), 2);
}

TEST(FigureTest, BoxSummaryOfKnownNumbers) {
  const BoxSummary box = SummarizeBox({1, 2, 3, 4, 5, 6, 7, 8, 100, std::nan("")});
  EXPECT_DOUBLE_EQ(box.median, 5);
  EXPECT_DOUBLE_EQ(box.lower_quartile, 3);
  EXPECT_DOUBLE_EQ(box.upper_quartile, 7);
  EXPECT_DOUBLE_EQ(box.low, 1);
  EXPECT_DOUBLE_EQ(box.high, 8);
  EXPECT_EQ(box.outliers, std::vector<double>{100});
}

TEST(FigureTest, NumbersAreShort) {
  EXPECT_EQ(Coordinate(1.0), "1");
  EXPECT_EQ(Coordinate(-0.001), "0");
  EXPECT_EQ(Coordinate(12.3456), "12.35");
  EXPECT_EQ(Coordinate(100), "100");
  EXPECT_EQ(FixedNumber(-0.04, 1), "0.0");
}

TEST(FigureTest, NamedTicksReplaceNumbersAndDoNotOverlap) {
  const Vector x = Vector::LinSpaced(5, 0, 40);
  Figure figure(1, 1, {300, 200});
  std::vector<std::pair<double, std::string>> ticks = {{-5, "outside"}, {10, "1950"}, {30, "1970"}};
  for (int k = 0; k < 100; ++k) ticks.emplace_back(30 + 0.001 * k, "crowd");
  figure.At(0, 0).XTicks(ticks).XLimits(0, 40).Line(x, x);
  const std::string svg = figure.ToSvg();
  EXPECT_NE(svg.find(">1950<"), std::string::npos);
  EXPECT_NE(svg.find(">1970<"), std::string::npos);
  EXPECT_EQ(svg.find("outside"), std::string::npos);
  EXPECT_EQ(svg.find("crowd"), std::string::npos);
}

}  // namespace
}  // namespace instantgp::plot
