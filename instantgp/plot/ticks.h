// Axis limits and tick marks for any data, from one point to values at 1e+-300.
#pragma once

#include <string>
#include <vector>

namespace instantgp::plot {

enum class Scale { kLinear, kLog };

struct Limits {
  double lower = 0;
  double upper = 1;
};

// Smallest and largest value seen so far. Values an axis cannot show (not finite; not positive on a log axis) are
// ignored.
class RangeCollector {
 public:
  explicit RangeCollector(Scale scale) : scale_(scale) {}
  void Add(double value);
  // The range widened by `padding` of its width on both sides (of its log width on a log axis); a single value gets
  // room around it; without any value 0..1 (linear) or 1..10 (log). Always finite with lower < upper.
  Limits Padded(double padding) const;

 private:
  Scale scale_;
  bool empty_ = true;
  double lower_ = 0;
  double upper_ = 0;
};

// Finite, lower < upper by more than rounding, positive on a log axis: what MakeTicks and AxisPosition can work with.
bool IsUsable(Limits limits, Scale scale);

// Position of a value on the axis: 0 at the lower limit, 1 at the upper, clamped to [-8, 9]. NaN for what it cannot
// show.
double AxisPosition(double value, Limits limits, Scale scale);

struct TickLabel {
  std::string text;
  std::string superscript;  // "10" with superscript "3"; empty otherwise
};

struct Ticks {
  std::vector<double> values;     // ascending, inside the limits; steps of 1, 2 or 5 times a power of ten
  std::vector<TickLabel> labels;  // one per value
  std::vector<double> minor;      // unlabelled marks of a log axis
  int exponent = 0;               // labels are to be multiplied by 10^exponent
  std::string offset;             // labels are to be added to this number; empty: zero
};

// About `target` ticks (at least two). Labels are short: a common power of ten is factored out beyond 1e6 and below
// 1e-3, a common offset where the digits that change come late.
Ticks MakeTicks(Limits limits, Scale scale, int target);

}  // namespace instantgp::plot
