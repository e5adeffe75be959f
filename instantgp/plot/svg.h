// The letters of an SVG file: escaped text, short numbers, path data, and an estimate of text widths.
#pragma once

#include <string>
#include <string_view>

namespace instantgp::plot {

// XML text and attribute values: & < > " ' escaped; control characters XML forbids and bytes that are not UTF-8 become
// U+FFFD.
std::string EscapeXml(std::string_view text);

// Locale-independent. FixedNumber: the given decimals, no "-0". ShortNumber: up to `digits` significant ones, no
// trailing zeros. Coordinate: two decimals at most, without trailing zeros: a hundredth of a pixel.
std::string FixedNumber(double value, int decimals);
std::string ShortNumber(double value, int digits);
std::string Coordinate(double value);

// A leading '-' as the typographic minus.
std::string WithMinusSign(std::string text);

// Width in pixels of text set in Helvetica or a face of its metrics; for layout only.
double TextWidth(std::string_view text, double font_size);

// Path data: absolute commands with rounded coordinates. Points that round to the previous one are left out.
class PathData {
 public:
  void MoveTo(double x, double y);
  void LineTo(double x, double y);
  void Close() { data_ += 'Z'; }
  void Append(std::string_view raw) { data_ += raw; }
  const std::string& str() const { return data_; }
  bool empty() const { return data_.empty(); }

 private:
  void Point(char command, double x, double y);
  std::string data_;
  std::string last_;
};

}  // namespace instantgp::plot
