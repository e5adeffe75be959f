// The marks of a panel: lines, bands, points, bars, boxes, legend swatches.
#include <algorithm>
#include <cmath>

#include "instantgp/plot/panel.h"

namespace instantgp::plot {
namespace {

std::string StrokeAttributes(const LineStyle& style) {
  std::string out =
      " fill=\"none\" stroke=\"" + EscapeXml(style.color) + "\" stroke-width=\"" + Coordinate(style.width) + "\"";
  out += style.dashed ? " stroke-dasharray=\"5 3.5\"" : " stroke-linejoin=\"round\"";
  return out;
}

std::string FillAttributes(const FillStyle& style) {
  return " fill=\"" + EscapeXml(style.color) + "\" fill-opacity=\"" + Coordinate(style.opacity) + "\"";
}

std::string Path(const PathData& data, const std::string& attributes) {
  return data.empty() ? "" : "<path d=\"" + data.str() + "\"" + attributes + "/>\n";
}

bool Shown(double x, double y) { return !std::isnan(x) && !std::isnan(y); }

// One marker around the current point, in relative commands.
std::string MarkerShape(Marker marker, double size) {
  const std::string r = Coordinate(size / 2), s = Coordinate(size), m = "-" + r;
  const std::string inner = Coordinate(size * 0.44), side = Coordinate(size * 0.88), minus = "-" + inner;
  switch (marker) {
    case Marker::kDot:
    case Marker::kRing:
      return "m" + m + " 0a" + r + " " + r + " 0 1 0 " + s + " 0a" + r + " " + r + " 0 1 0-" + s + " 0z";
    case Marker::kSquare:
      return "m" + minus + " " + minus + "h" + side + "v" + side + "h-" + side + "z";
    case Marker::kDiamond:
      return "m0 " + m + "l" + r + " " + r + "l" + m + " " + r + "l" + m + " " + m + "z";
    case Marker::kTriangle:
      return "m0 " + m + "l" + r + " " + side + "h-" + s + "z";
    case Marker::kCross:
      return "m" + minus + " " + minus + "l" + side + " " + side + "m0-" + side + "l-" + side + " " + side;
  }
  return "";
}

// Few filled marks get a thin white edge, so that overlapping ones stay apart; in a crowd the edges would hide the
// marks.
std::string MarkerAttributes(const MarkerStyle& style, Index count) {
  constexpr Index kCrowd = 150;
  const std::string color = EscapeXml(style.color);
  switch (style.marker) {
    case Marker::kRing:
      return " fill=\"#fff\" stroke=\"" + color + "\" stroke-width=\"1.3\"";
    case Marker::kCross:
      return " fill=\"none\" stroke=\"" + color + "\" stroke-width=\"1.4\"";
    default:
      return " fill=\"" + color + "\"" +
             (count > kCrowd ? " fill-opacity=\".7\"" : " stroke=\"#fff\" stroke-width=\".6\"");
  }
}

}  // namespace

std::string PanelPainter::PaintLine(const Axes::Element& element) const {
  PathData path;
  bool pen_down = false;
  for (Index i = 0; i < element.x.size(); ++i) {
    const double x = X(element.x[i]), y = Y(element.y[i]);
    if (Shown(x, y)) {
      pen_down ? path.LineTo(x, y) : path.MoveTo(x, y);
    }
    pen_down = Shown(x, y);
  }
  return Path(path, StrokeAttributes(element.line));
}

std::string PanelPainter::PaintScatter(const Axes::Element& element) const {
  const std::string shape = MarkerShape(element.marker.marker, element.marker.size);
  PathData path;
  for (Index i = 0; i < element.x.size(); ++i) {
    const double x = X(element.x[i]), y = Y(element.y[i]);
    if (!Shown(x, y)) continue;
    path.MoveTo(x, y);
    path.Append(shape);
  }
  return Path(path, MarkerAttributes(element.marker, element.x.size()));
}

std::string PanelPainter::PaintBand(const Axes::Element& element) const {
  PathData path;
  const auto shown = [&](Index i) { return Shown(X(element.x[i]), Y(element.y[i])) && !std::isnan(Y(element.y2[i])); };
  for (Index begin = 0; begin < element.x.size();) {  // runs without a gap, each a closed outline
    if (!shown(begin)) {
      ++begin;
      continue;
    }
    Index end = begin;
    while (end < element.x.size() && shown(end)) ++end;
    path.MoveTo(X(element.x[begin]), Y(element.y2[begin]));
    for (Index i = begin + 1; i < end; ++i) path.LineTo(X(element.x[i]), Y(element.y2[i]));
    for (Index i = end - 1; i >= begin; --i) path.LineTo(X(element.x[i]), Y(element.y[i]));
    path.Close();
    begin = end;
  }
  return Path(path, FillAttributes(element.fill));
}

std::string PanelPainter::PaintBars(const Axes::Element& element) const {
  const double ground = axes_.y_scale_ == Scale::kLog ? height_ : Y(0);
  PathData path;
  for (Index i = 0; i < element.x.size(); ++i) {
    const double left = X(element.x[i] - element.width / 2), right = X(element.x[i] + element.width / 2);
    const double top = Y(element.y[i]);
    if (!Shown(left, top) || std::isnan(right)) continue;
    path.MoveTo(left, ground);
    path.LineTo(left, top);
    path.LineTo(right, top);
    path.LineTo(right, ground);
    path.Close();
  }
  return Path(path, FillAttributes(element.fill));
}

std::string PanelPainter::PaintErrorBars(const Axes::Element& element) const {
  constexpr double kCap = 3;
  PathData path;
  for (Index i = 0; i < element.x.size(); ++i) {
    const double x = X(element.x[i]), low = Y(element.y[i]), high = Y(element.y2[i]);
    if (!Shown(x, low) || std::isnan(high)) continue;
    path.MoveTo(x, low);
    path.LineTo(x, high);
    for (double end : {low, high}) {
      path.MoveTo(x - kCap, end);
      path.LineTo(x + kCap, end);
    }
  }
  return Path(path, StrokeAttributes(element.line));
}

std::string PanelPainter::PaintBox(const Axes::Element& element) const {
  const BoxSummary& box = element.box;
  const double x = X(element.x[0]);
  const double left = X(element.x[0] - element.width / 2), right = X(element.x[0] + element.width / 2);
  const double q1 = Y(box.lower_quartile), q3 = Y(box.upper_quartile), median = Y(box.median);
  if (!Shown(left, q1) || !Shown(right, q3) || std::isnan(median)) return "";
  PathData frame, middle, whiskers, outliers;
  frame.MoveTo(left, q1);
  frame.LineTo(left, q3);
  frame.LineTo(right, q3);
  frame.LineTo(right, q1);
  frame.Close();
  middle.MoveTo(left, median);
  middle.LineTo(right, median);
  const double cap = (right - left) / 4;
  for (const auto& [from, to] : {std::pair(q1, Y(box.low)), std::pair(q3, Y(box.high))}) {
    if (std::isnan(to)) continue;
    whiskers.MoveTo(x, from);
    whiskers.LineTo(x, to);
    whiskers.MoveTo(x - cap, to);
    whiskers.LineTo(x + cap, to);
  }
  const LineStyle edge{element.fill.color, 1.1, false};
  for (double value : box.outliers) {
    if (!Shown(x, Y(value))) continue;
    outliers.MoveTo(x, Y(value));
    outliers.Append(MarkerShape(Marker::kDot, 3));
  }
  return Path(whiskers, StrokeAttributes(edge)) +
         Path(frame, FillAttributes(element.fill) + " stroke=\"" + EscapeXml(edge.color) + "\" stroke-width=\"1.1\"") +
         Path(middle, StrokeAttributes({element.fill.color, 2, false})) +
         Path(outliers, " fill=\"" + EscapeXml(edge.color) + "\"");
}

std::string PanelPainter::PaintElement(const Axes::Element& element) const {
  PathData path;
  switch (element.kind) {
    case Axes::Kind::kLine:
      return PaintLine(element);
    case Axes::Kind::kScatter:
      return PaintScatter(element);
    case Axes::Kind::kBand:
      return PaintBand(element);
    case Axes::Kind::kBars:
      return PaintBars(element);
    case Axes::Kind::kErrorBars:
      return PaintErrorBars(element);
    case Axes::Kind::kBox:
      return PaintBox(element);
    case Axes::Kind::kHorizontal:
      if (const double y = Y(element.y[0]); !std::isnan(y)) {
        path.MoveTo(0, y);
        path.LineTo(width_, y);
      }
      return Path(path, StrokeAttributes(element.line));
    case Axes::Kind::kVertical:
      if (const double x = X(element.x[0]); !std::isnan(x)) {
        path.MoveTo(x, 0);
        path.LineTo(x, height_);
      }
      return Path(path, StrokeAttributes(element.line));
    case Axes::Kind::kDiagonal: {
      const double low = std::max(x_limits_.lower, y_limits_.lower);
      const double high = std::min(x_limits_.upper, y_limits_.upper);
      if (low < high) {
        path.MoveTo(X(low), Y(low));
        path.LineTo(X(high), Y(high));
      }
      return Path(path, StrokeAttributes(element.line));
    }
    case Axes::Kind::kText: {
      const double x = X(element.x[0]), y = Y(element.y[0]);
      return Shown(x, y) ? TextElement(x, y, element.label, "start") : "";
    }
  }
  return "";
}

std::string PanelPainter::PaintElements() const {
  std::string out;
  for (const Axes::Element& element : axes_.elements_) out += PaintElement(element);
  return out;
}

std::string PanelPainter::PaintSwatch(const Axes::Element& element, double x, double y) const {
  constexpr double kHeight = 9;
  const double width = SwatchWidth(element);
  PathData path;
  switch (element.kind) {
    case Axes::Kind::kScatter:
      path.MoveTo(x + width / 2, y);
      path.Append(MarkerShape(element.marker.marker, std::max(element.marker.size, 4.0)));
      return Path(path, MarkerAttributes(element.marker, 1));
    case Axes::Kind::kBand:
    case Axes::Kind::kBars:
    case Axes::Kind::kBox:
      path.MoveTo(x, y - kHeight / 2);
      path.LineTo(x + width, y - kHeight / 2);
      path.LineTo(x + width, y + kHeight / 2);
      path.LineTo(x, y + kHeight / 2);
      path.Close();
      return Path(path, FillAttributes(element.fill));
    default:
      path.MoveTo(x, y);
      path.LineTo(x + width, y);
      return Path(path, StrokeAttributes(element.line));
  }
}

}  // namespace instantgp::plot
