// Lays out and paints one panel; used by Figure only.
#pragma once

#include <string>
#include <vector>

#include "instantgp/plot/axes.h"
#include "instantgp/plot/svg.h"

namespace instantgp::plot {

inline constexpr double kFontSize = 11;
inline constexpr char kFontFamily[] = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

struct Margins {
  double left = 0, right = 0, top = 0, bottom = 0;
};

// A line of text: x, y is the anchor on the baseline.
std::string TextElement(double x, double y, const std::string& text, const char* anchor, double size = kFontSize,
                        const std::string& extra = "");

class PanelPainter {
 public:
  // `number` makes the clip path's name unique within the figure.
  PanelPainter(const Axes& axes, double width, double height, int number);

  const Margins& margins() const { return margins_; }
  // The panel with its plotting area's top left corner at (left, top).
  std::string Paint(double left, double top) const;

 private:
  struct LegendEntry {
    const Axes::Element* element;
    double width;
  };
  using LegendRow = std::vector<LegendEntry>;

  static double SwatchWidth(const Axes::Element& element);
  void FindLimits();
  void LayOutLegend();
  void FindMargins();

  double X(double value) const;  // pixels from the panel's left; NaN for what cannot be shown
  double Y(double value) const;

  std::string PaintGridAndAxes() const;
  std::string PaintTickLabels() const;
  std::string PaintElements() const;
  std::string PaintElement(const Axes::Element& element) const;
  std::string PaintLine(const Axes::Element& element) const;
  std::string PaintScatter(const Axes::Element& element) const;
  std::string PaintBand(const Axes::Element& element) const;
  std::string PaintBars(const Axes::Element& element) const;
  std::string PaintErrorBars(const Axes::Element& element) const;
  std::string PaintBox(const Axes::Element& element) const;
  std::string PaintLegend() const;
  std::string PaintSwatch(const Axes::Element& element, double x, double y) const;
  // Top left corner of the legend block of the given size inside the panel.
  void EmptiestCorner(double width, double height, double* x, double* y) const;

  const Axes& axes_;
  double width_;
  double height_;
  int number_;
  Limits x_limits_, y_limits_;
  Ticks x_ticks_, y_ticks_;
  bool rotate_categories_ = false;
  std::vector<LegendRow> legend_rows_;
  Margins margins_;
};

}  // namespace instantgp::plot
