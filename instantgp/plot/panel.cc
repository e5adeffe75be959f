#include "instantgp/plot/panel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace instantgp::plot {
namespace {

constexpr double kTickLength = 4;
constexpr double kLegendRowHeight = 16;
constexpr double kLegendGap = 16;  // between entries
constexpr double kCategoryAngle = 35 * 3.14159265358979323846 / 180;

constexpr char kGridStyle[] = "fill=\"none\" stroke=\"#e8e8e8\" stroke-width=\".7\"";

double LabelWidth(const TickLabel& label) {
  return TextWidth(label.text, kFontSize) + TextWidth(label.superscript, 0.75 * kFontSize);
}

std::string LabelMarkup(const std::string& text, const std::string& superscript) {
  std::string out = EscapeXml(text);
  if (!superscript.empty()) out += "<tspan dy=\"-4\" font-size=\"8\">" + EscapeXml(superscript) + "</tspan>";
  return out;
}

std::string Attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + EscapeXml(value) + "\"";
}

// Text whose content is markup already.
std::string RawText(double x, double y, const std::string& markup, const char* anchor, double size = kFontSize,
                    const std::string& extra = "") {
  return "<text x=\"" + Coordinate(x) + "\" y=\"" + Coordinate(y) + "\"" +
         (anchor[0] == 's' ? "" : Attribute("text-anchor", anchor)) +
         (size == kFontSize ? "" : Attribute("font-size", Coordinate(size))) + extra + ">" + markup + "</text>\n";
}

// "×10^6" or "+ 1000": what the labels of an axis have to be multiplied by or added to; empty when nothing.
std::string AxisNote(const Ticks& ticks) {
  std::string note;
  if (ticks.exponent != 0)
    note = LabelMarkup(
        "\xC3\x97"
        "10",
        WithMinusSign(std::to_string(ticks.exponent)));
  if (!ticks.offset.empty()) {
    const bool negative = ticks.offset.rfind("\xE2\x88\x92", 0) == 0;
    if (!note.empty()) note += "<tspan dy=\"4\">\xC2\xA0</tspan>";  // back on the baseline
    note += EscapeXml((negative ? "" : "+") + ticks.offset);
  }
  return note;
}

}  // namespace

std::string TextElement(double x, double y, const std::string& text, const char* anchor, double size,
                        const std::string& extra) {
  return RawText(x, y, EscapeXml(text), anchor, size, extra);
}

PanelPainter::PanelPainter(const Axes& axes, double width, double height, int number)
    : axes_(axes), width_(width), height_(height), number_(number) {
  FindLimits();
  LayOutLegend();
  FindMargins();
}

void PanelPainter::FindLimits() {
  RangeCollector x_range(axes_.x_scale_), y_range(axes_.y_scale_);
  for (double value : axes_.included_y_) y_range.Add(value);
  bool bars = false;
  for (const Axes::Element& e : axes_.elements_) {
    if (e.kind == Axes::Kind::kHorizontal || e.kind == Axes::Kind::kVertical) continue;
    for (double value : e.x) {
      x_range.Add(value - e.width / 2);
      x_range.Add(value + e.width / 2);
    }
    for (double value : e.y) y_range.Add(value);
    for (double value : e.y2) y_range.Add(value);
    if (e.kind == Axes::Kind::kBars) {
      bars = true;
      y_range.Add(0);
    }
    if (e.kind == Axes::Kind::kBox) {
      for (double value : {e.box.low, e.box.lower_quartile, e.box.upper_quartile, e.box.high}) y_range.Add(value);
      for (double value : e.box.outliers) y_range.Add(value);
    }
  }
  const auto usable = [](const std::optional<Limits>& limits, Scale scale) {
    return limits && IsUsable(*limits, scale);
  };
  x_limits_ = usable(axes_.x_limits_, axes_.x_scale_) ? *axes_.x_limits_ : x_range.Padded(0.02);
  y_limits_ = usable(axes_.y_limits_, axes_.y_scale_) ? *axes_.y_limits_ : y_range.Padded(0.04);
  const bool linear = axes_.y_scale_ == Scale::kLinear;
  if (bars && linear && !usable(axes_.y_limits_, axes_.y_scale_)) {  // bars stand on the axis
    const Limits tight = y_range.Padded(0);
    if (tight.lower == 0) y_limits_.lower = 0;
    if (tight.upper == 0) y_limits_.upper = 0;
  }
  x_ticks_ = MakeTicks(x_limits_, axes_.x_scale_, std::max(2, static_cast<int>(width_ / 52)));
  y_ticks_ = MakeTicks(y_limits_, axes_.y_scale_, std::max(2, static_cast<int>(height_ / 30)));
  if (!axes_.named_x_ticks_.empty()) {
    x_ticks_ = {};
    double last = -1;  // where the label before ends
    for (const auto& [value, text] : axes_.named_x_ticks_) {
      const double place = AxisPosition(value, x_limits_, axes_.x_scale_), half = TextWidth(text, kFontSize) / 2;
      if (!(place >= 0 && place <= 1) || (last >= 0 && place * width_ - half < last + 6)) continue;
      x_ticks_.values.push_back(value);
      x_ticks_.labels.push_back({text, ""});
      last = place * width_ + half;
    }
  }
  if (!axes_.categories_.empty()) {
    const int count = static_cast<int>(axes_.categories_.size());
    x_limits_ = {-0.6, count - 0.4};
    x_ticks_ = {};
    double widest = 0;
    for (int i = 0; i < count; ++i) {
      x_ticks_.values.push_back(i);
      x_ticks_.labels.push_back({axes_.categories_[i], ""});
      widest = std::max(widest, TextWidth(axes_.categories_[i], kFontSize));
    }
    rotate_categories_ = widest > width_ / (count + 0.2) - 4;
  }
}

double PanelPainter::SwatchWidth(const Axes::Element& element) { return element.kind == Axes::Kind::kScatter ? 8 : 20; }

void PanelPainter::LayOutLegend() {
  if (axes_.legend_ == LegendPlace::kNone) return;
  double used = 0;
  for (const Axes::Element& e : axes_.elements_) {
    if (e.label.empty() || e.kind == Axes::Kind::kText) continue;
    const double entry = SwatchWidth(e) + 6 + TextWidth(e.label, kFontSize);
    const bool wraps = axes_.legend_ == LegendPlace::kInside || used + entry > width_;
    if (legend_rows_.empty() || wraps) {
      legend_rows_.emplace_back();
      used = 0;
    }
    legend_rows_.back().push_back({&e, entry});
    used += entry + kLegendGap;
  }
}

void PanelPainter::FindMargins() {
  double widest = 0;
  for (const TickLabel& label : y_ticks_.labels) widest = std::max(widest, LabelWidth(label));
  margins_.left = kTickLength + 4 + widest + (axes_.y_label_.empty() ? 0 : kFontSize + 9);
  margins_.right = 10;
  if (!x_ticks_.labels.empty() && !rotate_categories_) {  // the last label may reach over the edge
    const double x = X(x_ticks_.values.back());
    margins_.right = std::max(margins_.right, x + LabelWidth(x_ticks_.labels.back()) / 2 - width_ + 2);
  }
  margins_.top = 6;
  if (!AxisNote(y_ticks_).empty()) margins_.top += kFontSize + 3;
  if (axes_.legend_ == LegendPlace::kAbove) margins_.top += kLegendRowHeight * legend_rows_.size();
  if (!axes_.title_.empty()) margins_.top += 1.6 * kFontSize;
  margins_.bottom = kTickLength + 3 + kFontSize;
  if (rotate_categories_) {
    double longest = 0;
    for (const TickLabel& label : x_ticks_.labels) {
      longest = std::max(longest, LabelWidth(label));
    }
    margins_.bottom += longest * std::sin(kCategoryAngle);
    const double first = X(x_ticks_.values.front());
    margins_.left = std::max(margins_.left, LabelWidth(x_ticks_.labels.front()) * std::cos(kCategoryAngle) - first + 4);
  }
  if (!axes_.x_label_.empty() || !AxisNote(x_ticks_).empty()) margins_.bottom += kFontSize + 7;
}

double PanelPainter::X(double value) const { return width_ * AxisPosition(value, x_limits_, axes_.x_scale_); }
double PanelPainter::Y(double value) const { return height_ * (1 - AxisPosition(value, y_limits_, axes_.y_scale_)); }

std::string PanelPainter::PaintGridAndAxes() const {
  PathData grid, marks;
  for (double value : y_ticks_.values) {
    grid.MoveTo(0, Y(value));
    grid.LineTo(width_, Y(value));
    marks.MoveTo(-kTickLength, Y(value));
    marks.LineTo(0, Y(value));
  }
  for (double value : x_ticks_.values) {
    if (axes_.categories_.empty()) {
      grid.MoveTo(X(value), 0);
      grid.LineTo(X(value), height_);
    }
    marks.MoveTo(X(value), height_);
    marks.LineTo(X(value), height_ + kTickLength);
  }
  for (double value : y_ticks_.minor) {
    marks.MoveTo(-kTickLength / 2, Y(value));
    marks.LineTo(0, Y(value));
  }
  for (double value : x_ticks_.minor) {
    marks.MoveTo(X(value), height_);
    marks.LineTo(X(value), height_ + kTickLength / 2);
  }
  std::string out;
  if (axes_.grid_ && !grid.empty()) out += "<path d=\"" + grid.str() + "\" " + kGridStyle + "/>\n";
  marks.MoveTo(0, 0);
  marks.LineTo(0, height_);
  marks.LineTo(width_, height_);
  return out + "<path d=\"" + marks.str() + "\" fill=\"none\" stroke=\"#555\" stroke-width=\".8\"/>\n";
}

std::string PanelPainter::PaintTickLabels() const {
  std::string out;
  const double label_y = height_ + kTickLength + 3 + 0.75 * kFontSize;
  for (std::size_t i = 0; i < x_ticks_.values.size(); ++i) {
    const TickLabel& label = x_ticks_.labels[i];
    const double x = X(x_ticks_.values[i]);
    if (rotate_categories_) {
      out += RawText(x + 3, label_y, LabelMarkup(label.text, label.superscript), "end", kFontSize,
                     " transform=\"rotate(-35 " + Coordinate(x + 3) + " " + Coordinate(label_y) + ")\"");
    } else {
      out += RawText(x, label_y, LabelMarkup(label.text, label.superscript), "middle");
    }
  }
  for (std::size_t i = 0; i < y_ticks_.values.size(); ++i) {
    const TickLabel& label = y_ticks_.labels[i];
    out += RawText(-kTickLength - 4, Y(y_ticks_.values[i]) + 0.35 * kFontSize,
                   LabelMarkup(label.text, label.superscript), "end");
  }
  const double name_y = height_ + margins_.bottom - 4;
  if (!axes_.x_label_.empty()) out += TextElement(width_ / 2, name_y, axes_.x_label_, "middle");
  if (const std::string note = AxisNote(x_ticks_); !note.empty()) out += RawText(width_, name_y, note, "end");
  if (const std::string note = AxisNote(y_ticks_); !note.empty()) out += RawText(-kTickLength, -7, note, "start");
  if (!axes_.y_label_.empty()) {
    const double x = -margins_.left + kFontSize;
    out += TextElement(x, height_ / 2, axes_.y_label_, "middle", kFontSize,
                       " transform=\"rotate(-90 " + Coordinate(x) + " " + Coordinate(height_ / 2) + ")\"");
  }
  if (!axes_.title_.empty()) {
    out += TextElement(width_ / 2, -margins_.top + kFontSize, axes_.title_, "middle", kFontSize + 1);
  }
  return out;
}

std::string PanelPainter::PaintLegend() const {
  if (legend_rows_.empty()) return "";
  double x = 0, y = 0;
  std::string out;
  if (axes_.legend_ == LegendPlace::kInside) {
    double width = 0;
    for (const LegendRow& row : legend_rows_) width = std::max(width, row.front().width);
    const double height = kLegendRowHeight * legend_rows_.size();
    EmptiestCorner(width + 12, height + 6, &x, &y);
    out += "<rect x=\"" + Coordinate(x) + "\" y=\"" + Coordinate(y) + "\" width=\"" + Coordinate(width + 12) +
           "\" height=\"" + Coordinate(height + 6) + "\" fill=\"#fff\" fill-opacity=\".8\"/>\n";
    x += 6;
    y += 3 + kLegendRowHeight / 2;
  } else {
    y = -(AxisNote(y_ticks_).empty() ? 6 : kFontSize + 9) - kLegendRowHeight * (legend_rows_.size() - 0.5);
  }
  for (const LegendRow& row : legend_rows_) {
    double row_width = -kLegendGap;
    for (const LegendEntry& entry : row) row_width += entry.width + kLegendGap;
    double left = axes_.legend_ == LegendPlace::kInside ? x : std::max(0.0, (width_ - row_width) / 2);
    for (const LegendEntry& entry : row) {
      out += PaintSwatch(*entry.element, left, y);
      out += TextElement(left + SwatchWidth(*entry.element) + 6, y + 0.35 * kFontSize, entry.element->label, "start");
      left += entry.width + kLegendGap;
    }
    y += kLegendRowHeight;
  }
  return out;
}

void PanelPainter::EmptiestCorner(double width, double height, double* x, double* y) const {
  const double xs[] = {width_ - width - 4, 4};
  const double ys[] = {4, height_ - height - 4};
  long best = std::numeric_limits<long>::max();
  for (double corner_y : ys) {
    for (double corner_x : xs) {
      long covered = 0;
      for (const Axes::Element& e : axes_.elements_) {
        for (Index i = 0; i < std::min(e.x.size(), e.y.size()); ++i) {
          const double px = X(e.x[i]), py = Y(e.y[i]);
          covered += px >= corner_x && px <= corner_x + width && py >= corner_y && py <= corner_y + height;
        }
      }
      if (covered < best) {
        best = covered;
        *x = corner_x;
        *y = corner_y;
      }
    }
  }
}

std::string PanelPainter::Paint(double left, double top) const {
  const std::string clip = "p" + std::to_string(number_);
  return "<g transform=\"translate(" + Coordinate(left) + " " + Coordinate(top) + ")\">\n<clipPath id=\"" + clip +
         "\"><rect x=\"-1\" y=\"-1\" width=\"" + Coordinate(width_ + 2) + "\" height=\"" + Coordinate(height_ + 2) +
         "\"/></clipPath>\n" + PaintGridAndAxes() + "<g clip-path=\"url(#" + clip + ")\">\n" + PaintElements() +
         "</g>\n" + PaintTickLabels() + PaintLegend() + "</g>\n";
}

}  // namespace instantgp::plot
