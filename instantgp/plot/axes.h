// One panel of a figure: what is drawn in it and how its axes look.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/plot/ticks.h"

namespace instantgp::plot {

// Okabe and Ito's palette, safe for colour-blind readers, in the order we use it. Wraps around.
std::string PaletteColor(int index);
inline constexpr char kInk[] = "#222222";    // axes, text, data
inline constexpr char kMuted[] = "#8a8a8a";  // reference lines

struct LineStyle {
  std::string color = PaletteColor(0);
  double width = 1.6;
  bool dashed = false;
};

enum class Marker { kDot, kRing, kSquare, kDiamond, kTriangle, kCross };

struct MarkerStyle {
  std::string color = kInk;
  Marker marker = Marker::kDot;
  double size = 5;  // diameter in pixels
};

struct FillStyle {
  std::string color = PaletteColor(0);
  double opacity = 0.2;
};

// Five numbers and the points beyond the whiskers.
struct BoxSummary {
  double low = 0, lower_quartile = 0, median = 0, upper_quartile = 0, high = 0;
  std::vector<double> outliers;
};
// Quartiles by linear interpolation; whiskers at the last value within 1.5 interquartile ranges. Values that are not
// finite are left out; all zero when none is left.
BoxSummary SummarizeBox(std::vector<double> values);

enum class LegendPlace { kNone, kAbove, kInside };  // kInside: the corner with the fewest points

// A description; nothing is drawn until Figure::ToSvg. Setters return *this. Elements are painted in the order of the
// calls; those with a label enter the legend. Points an axis cannot show (not finite, not positive on a log axis)
// interrupt a line and are left out elsewhere. x, y, ... of one element have equal length.
class Axes {
 public:
  Axes& Title(std::string text);
  Axes& XLabel(std::string text);
  Axes& YLabel(std::string text);
  Axes& XScale(Scale scale);
  Axes& YScale(Scale scale);
  Axes& XLimits(double lower, double upper);
  Axes& YLimits(double lower, double upper);
  Axes& IncludeY(double value);                       // the y axis reaches this value
  Axes& XCategories(std::vector<std::string> names);  // category i sits at x = i
  // Marks at these places in place of round numbers; none: round numbers.
  Axes& XTicks(std::vector<std::pair<double, std::string>> ticks);
  Axes& Grid(bool on);
  Axes& Legend(LegendPlace place);

  Axes& Line(const Vector& x, const Vector& y, const LineStyle& style = {}, std::string label = "");
  Axes& Scatter(const Vector& x, const Vector& y, const MarkerStyle& style = {}, std::string label = "");
  Axes& Band(const Vector& x, const Vector& lower, const Vector& upper, const FillStyle& style = {},
             std::string label = "");
  // Bars from zero (from the axis end on a log axis), `width` in x units.
  Axes& Bars(const Vector& x, const Vector& height, double width, const FillStyle& style = {}, std::string label = "");
  Axes& ErrorBars(const Vector& x, const Vector& lower, const Vector& upper, const LineStyle& style = {});
  Axes& Box(double x, const BoxSummary& summary, double width, const FillStyle& style = {}, std::string label = "");
  // Across the whole panel; do not widen the axis range.
  Axes& HorizontalLine(double y, const LineStyle& style = {kMuted, 1, true}, std::string label = "");
  Axes& VerticalLine(double x, const LineStyle& style = {kMuted, 1, true}, std::string label = "");
  // y = x over the visible range.
  Axes& DiagonalLine(const LineStyle& style = {kMuted, 1, true}, std::string label = "");
  Axes& Text(double x, double y, std::string text);

 private:
  friend class PanelPainter;
  enum class Kind { kLine, kScatter, kBand, kBars, kErrorBars, kBox, kHorizontal, kVertical, kDiagonal, kText };
  struct Element {
    Kind kind = Kind::kLine;
    Vector x = {}, y = {}, y2 = {};
    double width = 0;  // bars and boxes
    LineStyle line = {};
    MarkerStyle marker = {};
    FillStyle fill = {};
    BoxSummary box = {};
    std::string label = {};
  };
  Axes& Add(Element element);

  std::string title_, x_label_, y_label_;
  Scale x_scale_ = Scale::kLinear;
  Scale y_scale_ = Scale::kLinear;
  std::optional<Limits> x_limits_, y_limits_;
  std::vector<double> included_y_;
  std::vector<std::string> categories_;
  std::vector<std::pair<double, std::string>> named_x_ticks_;
  bool grid_ = true;
  LegendPlace legend_ = LegendPlace::kAbove;
  std::vector<Element> elements_;
};

}  // namespace instantgp::plot
