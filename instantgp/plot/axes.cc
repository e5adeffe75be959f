#include "instantgp/plot/axes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "instantgp/base/check.h"

namespace instantgp::plot {

std::string PaletteColor(int index) {
  static constexpr std::array<const char*, 7> kPalette = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                          "#e69f00", "#56b4e9", "#555555"};
  return kPalette[((index % 7) + 7) % 7];
}

BoxSummary SummarizeBox(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  BoxSummary box;
  if (values.empty()) return box;
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double q) {
    const double position = q * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    const double t = position - static_cast<double>(below);
    return (1 - t) * values[below] + t * values[above];
  };
  box.lower_quartile = quantile(0.25);
  box.median = quantile(0.5);
  box.upper_quartile = quantile(0.75);
  const double reach = 1.5 * (box.upper_quartile - box.lower_quartile);
  box.low = box.lower_quartile;
  box.high = box.upper_quartile;
  for (double v : values) {
    if (v < box.lower_quartile - reach || v > box.upper_quartile + reach) {
      box.outliers.push_back(v);
    } else {
      box.low = std::min(box.low, v);
      box.high = std::max(box.high, v);
    }
  }
  return box;
}

Axes& Axes::Title(std::string text) { return title_ = std::move(text), *this; }
Axes& Axes::XLabel(std::string text) { return x_label_ = std::move(text), *this; }
Axes& Axes::YLabel(std::string text) { return y_label_ = std::move(text), *this; }
Axes& Axes::XScale(Scale scale) { return x_scale_ = scale, *this; }
Axes& Axes::YScale(Scale scale) { return y_scale_ = scale, *this; }
Axes& Axes::XLimits(double lower, double upper) { return x_limits_ = Limits{lower, upper}, *this; }
Axes& Axes::YLimits(double lower, double upper) { return y_limits_ = Limits{lower, upper}, *this; }
Axes& Axes::IncludeY(double value) { return included_y_.push_back(value), *this; }
Axes& Axes::XTicks(std::vector<std::pair<double, std::string>> ticks) {
  return named_x_ticks_ = std::move(ticks), *this;
}
Axes& Axes::XCategories(std::vector<std::string> names) { return categories_ = std::move(names), *this; }
Axes& Axes::Grid(bool on) { return grid_ = on, *this; }
Axes& Axes::Legend(LegendPlace place) { return legend_ = place, *this; }

Axes& Axes::Add(Element element) {
  elements_.push_back(std::move(element));
  return *this;
}

Axes& Axes::Line(const Vector& x, const Vector& y, const LineStyle& style, std::string label) {
  INSTANTGP_CHECK(x.size() == y.size());
  return Add({.kind = Kind::kLine, .x = x, .y = y, .line = style, .label = std::move(label)});
}

Axes& Axes::Scatter(const Vector& x, const Vector& y, const MarkerStyle& style, std::string label) {
  INSTANTGP_CHECK(x.size() == y.size());
  return Add({.kind = Kind::kScatter, .x = x, .y = y, .marker = style, .label = std::move(label)});
}

Axes& Axes::Band(const Vector& x, const Vector& lower, const Vector& upper, const FillStyle& style, std::string label) {
  INSTANTGP_CHECK(x.size() == lower.size() && x.size() == upper.size());
  return Add({.kind = Kind::kBand, .x = x, .y = lower, .y2 = upper, .fill = style, .label = std::move(label)});
}

Axes& Axes::Bars(const Vector& x, const Vector& height, double width, const FillStyle& style, std::string label) {
  INSTANTGP_CHECK(x.size() == height.size());
  return Add({.kind = Kind::kBars, .x = x, .y = height, .width = width, .fill = style, .label = std::move(label)});
}

Axes& Axes::ErrorBars(const Vector& x, const Vector& lower, const Vector& upper, const LineStyle& style) {
  INSTANTGP_CHECK(x.size() == lower.size() && x.size() == upper.size());
  return Add({.kind = Kind::kErrorBars, .x = x, .y = lower, .y2 = upper, .line = style});
}

Axes& Axes::Box(double x, const BoxSummary& summary, double width, const FillStyle& style, std::string label) {
  return Add({.kind = Kind::kBox,
              .x = Vector::Constant(1, x),
              .width = width,
              .fill = style,
              .box = summary,
              .label = std::move(label)});
}

Axes& Axes::HorizontalLine(double y, const LineStyle& style, std::string label) {
  return Add({.kind = Kind::kHorizontal, .y = Vector::Constant(1, y), .line = style, .label = std::move(label)});
}

Axes& Axes::VerticalLine(double x, const LineStyle& style, std::string label) {
  return Add({.kind = Kind::kVertical, .x = Vector::Constant(1, x), .line = style, .label = std::move(label)});
}

Axes& Axes::DiagonalLine(const LineStyle& style, std::string label) {
  return Add({.kind = Kind::kDiagonal, .line = style, .label = std::move(label)});
}

Axes& Axes::Text(double x, double y, std::string text) {
  return Add({.kind = Kind::kText, .x = Vector::Constant(1, x), .y = Vector::Constant(1, y), .label = std::move(text)});
}

}  // namespace instantgp::plot
