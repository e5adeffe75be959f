#include "instantgp/plot/figure.h"

#include <algorithm>
#include <memory>

#include "instantgp/base/check.h"
#include "instantgp/plot/panel.h"

namespace instantgp::plot {
namespace {

constexpr double kGap = 14;    // between panels
constexpr double kEdge = 8;    // around the figure
constexpr double kTitle = 13;  // font size

}  // namespace

Figure::Figure(int rows, int columns, PanelSize panel)
    : rows_(rows), columns_(columns), panel_(panel), axes_(rows * columns), touched_(rows * columns, false) {
  INSTANTGP_CHECK(rows > 0 && columns > 0);
}

Axes& Figure::At(int row, int column) {
  INSTANTGP_CHECK(row >= 0 && row < rows_ && column >= 0 && column < columns_);
  touched_[row * columns_ + column] = true;
  return axes_[row * columns_ + column];
}

std::string Figure::ToSvg() const {
  std::vector<std::unique_ptr<PanelPainter>> painters(axes_.size());
  // Panels of a column share their left and right margins, of a row their top and bottom: plotting areas line up.
  std::vector<Margins> row_margins(rows_), column_margins(columns_);
  for (int i = 0; i < rows_ * columns_; ++i) {
    if (!touched_[i]) continue;
    painters[i] = std::make_unique<PanelPainter>(axes_[i], panel_.width, panel_.height, i);
    const Margins& m = painters[i]->margins();
    Margins& column = column_margins[i % columns_];
    Margins& row = row_margins[i / columns_];
    column.left = std::max(column.left, m.left);
    column.right = std::max(column.right, m.right);
    row.top = std::max(row.top, m.top);
    row.bottom = std::max(row.bottom, m.bottom);
  }
  std::string body;
  double y = kEdge + (title_.empty() ? 0 : 1.6 * kTitle);
  double width = 0;
  for (int r = 0; r < rows_; ++r) {
    y += row_margins[r].top;
    double x = kEdge;
    for (int c = 0; c < columns_; ++c) {
      x += column_margins[c].left;
      if (const auto& painter = painters[r * columns_ + c]) body += painter->Paint(x, y);
      x += panel_.width + column_margins[c].right + (c + 1 < columns_ ? kGap : 0);
    }
    width = x + kEdge;
    y += panel_.height + row_margins[r].bottom + (r + 1 < rows_ ? kGap : 0);
  }
  const double height = y + kEdge;
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + Coordinate(width) + "\" height=\"" +
                    Coordinate(height) + "\" viewBox=\"0 0 " + Coordinate(width) + " " + Coordinate(height) +
                    "\" font-family=\"" + EscapeXml(kFontFamily) + "\" font-size=\"" + Coordinate(kFontSize) +
                    "\" fill=\"" + kInk + "\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  if (!title_.empty()) svg += TextElement(width / 2, kEdge + kTitle, title_, "middle", kTitle, " font-weight=\"bold\"");
  return svg + body + "</svg>\n";
}

}  // namespace instantgp::plot
