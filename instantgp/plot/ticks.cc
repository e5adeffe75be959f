#include "instantgp/plot/ticks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "instantgp/plot/svg.h"

namespace instantgp::plot {
namespace {

constexpr double kHuge = 1e307;   // limits stay inside, so that differences of halves and steps are finite
constexpr double kTiny = 1e-300;  // ranges below count as a single value
constexpr int kMaxLabelDecimals = 5;

double PowerOfTen(int exponent) { return std::pow(10.0, exponent); }

int FloorLog10(double positive) {
  int exponent = static_cast<int>(std::floor(std::log10(positive)));
  if (PowerOfTen(exponent + 1) <= positive) ++exponent;  // log10 may round down just below a power
  return exponent;
}

Limits AroundSingleValue(double value, Scale scale) {
  if (scale == Scale::kLog) return {std::max(value / 3, kTiny), std::min(value * 3, kHuge)};
  const double room = std::abs(value) > kTiny ? std::abs(value) * 0.5 : 1.0;
  return {value - room, value + room};
}

// A step of 1, 2 or 5 times 10^power.
struct Step {
  int mantissa = 1;
  int power = 0;
  double value() const { return mantissa * PowerOfTen(power); }
};

Step NextStep(Step step) {
  if (step.mantissa == 1) return {2, step.power};
  if (step.mantissa == 2) return {5, step.power};
  return {1, step.power + 1};
}

// The smallest nice step with at most `target` ticks, so that there are between target/2.5 and target of them.
Step NiceStep(Limits limits, int target) {
  const double raw = limits.upper / target - limits.lower / target;
  Step step{1, FloorLog10(raw)};
  while (step.value() < raw * (1 - 1e-9)) step = NextStep(step);
  return step;
}

std::string Decimal(double value, int decimals) { return WithMinusSign(FixedNumber(value, decimals)); }

Ticks LinearTicks(Limits limits, int target) {
  Ticks ticks;
  Step step = NiceStep(limits, target);
  double first = std::ceil(limits.lower / step.value() - 1e-9);
  double last = std::floor(limits.upper / step.value() + 1e-9);
  while (last - first < 1 && target < 40) {  // a wide step can miss a narrow target
    target += 2;
    step = NiceStep(limits, target);
    first = std::ceil(limits.lower / step.value() - 1e-9);
    last = std::floor(limits.upper / step.value() + 1e-9);
  }
  const int count = static_cast<int>(std::clamp(last - first, 0.0, 60.0)) + 1;
  double largest = 0;
  for (int i = 0; i < count; ++i) {
    ticks.values.push_back((first + i) * step.value());
    largest = std::max(largest, std::abs(ticks.values.back()));
  }
  // Where the first digits are common to all, label the differences to the last round number below.
  const int magnitude = largest > 0 ? FloorLog10(largest) : 0;
  double base = 0;  // in steps
  int label_magnitude = magnitude;
  if (magnitude - step.power > kMaxLabelDecimals) {
    label_magnitude = FloorLog10(count * step.value()) + 1;
    const double round = PowerOfTen(label_magnitude - step.power) / step.mantissa;
    base = std::floor(first / round) * round;
    ticks.offset = WithMinusSign(ShortNumber(base * step.value(), std::min(17, magnitude - label_magnitude + 1)));
    label_magnitude -= 1;
  }
  if (label_magnitude >= 6 || label_magnitude <= -3) ticks.exponent = label_magnitude;
  const int decimals = std::max(0, ticks.exponent - step.power);
  for (int i = 0; i < count; ++i) {
    // (first + i - base) * mantissa * 10^(power - exponent): both factors are small, so nothing overflows.
    const double label = (first + i - base) * step.mantissa * PowerOfTen(step.power - ticks.exponent);
    ticks.labels.push_back({Decimal(label, decimals), ""});
  }
  return ticks;
}

TickLabel PowerLabel(int exponent) {
  if (exponent >= -2 && exponent <= 3) return {Decimal(PowerOfTen(exponent), std::max(0, -exponent)), ""};
  return {"10", WithMinusSign(std::to_string(exponent))};
}

Ticks LogTicks(Limits limits, int target) {
  const double low = std::log10(limits.lower);
  const double high = std::log10(limits.upper);
  const int first = static_cast<int>(std::ceil(low - 1e-9));
  const int last = static_cast<int>(std::floor(high + 1e-9));
  if (high - low < 0.7) return LinearTicks(limits, target);  // too narrow for powers: round numbers at log positions
  Ticks ticks;
  auto inside = [&](double value) { return value >= limits.lower * (1 - 1e-9) && value <= limits.upper * (1 + 1e-9); };
  if (high - low <= 2.5) {  // 1, 2, 5 of every decade
    if (first < -3 || last > 4) ticks.exponent = first;
    for (int e = first - 1; e <= last; ++e) {
      for (int m = 1; m <= 9; ++m) {
        const double value = m * PowerOfTen(e);
        if (!inside(value)) continue;
        if (m == 1 || m == 2 || m == 5) {
          ticks.values.push_back(value);
          ticks.labels.push_back({Decimal(m * PowerOfTen(e - ticks.exponent), std::max(0, ticks.exponent - e)), ""});
        } else {
          ticks.minor.push_back(value);
        }
      }
    }
    return ticks;
  }
  int every = 1;
  for (int candidate : {1, 2, 3, 5, 10, 20, 25, 50, 100, 200}) {
    every = candidate;
    if ((last - first) / candidate + 1 <= target + 1) break;
  }
  const bool powers = PowerLabel(first).superscript.size() + PowerLabel(last).superscript.size() > 0;
  for (int e = first; e <= last; ++e) {
    if (((e % every) + every) % every == 0) {
      ticks.values.push_back(PowerOfTen(e));
      ticks.labels.push_back(powers ? TickLabel{"10", WithMinusSign(std::to_string(e))} : PowerLabel(e));
    } else {
      ticks.minor.push_back(PowerOfTen(e));
    }
  }
  if (every == 1 && last - first <= 6) {
    for (int e = first - 1; e <= last; ++e) {
      for (int m = 2; m <= 9; ++m) {
        if (inside(m * PowerOfTen(e))) ticks.minor.push_back(m * PowerOfTen(e));
      }
    }
  }
  return ticks;
}

}  // namespace

void RangeCollector::Add(double value) {
  if (!std::isfinite(value) || (scale_ == Scale::kLog && value <= 0)) return;
  value = std::clamp(value, -kHuge, kHuge);
  if (scale_ == Scale::kLog) value = std::max(value, kTiny);
  lower_ = empty_ ? value : std::min(lower_, value);
  upper_ = empty_ ? value : std::max(upper_, value);
  empty_ = false;
}

Limits RangeCollector::Padded(double padding) const {
  if (empty_) return scale_ == Scale::kLog ? Limits{1, 10} : Limits{0, 1};
  const double magnitude = std::max(std::abs(lower_), std::abs(upper_));
  if (scale_ == Scale::kLog) {
    const double width = std::log(upper_) - std::log(lower_);
    if (width < 1e-6) return AroundSingleValue(lower_, scale_);
    const double factor = std::exp(padding * width);
    return {std::max(lower_ / factor, kTiny), std::min(upper_ * factor, kHuge)};
  }
  const double width = upper_ - lower_;  // at most 2e307
  if (width < kTiny || width < 1e-13 * magnitude) return AroundSingleValue(lower_, scale_);
  return {std::max(lower_ - padding * width, -2 * kHuge), std::min(upper_ + padding * width, 2 * kHuge)};
}

bool IsUsable(Limits limits, Scale scale) {
  const double magnitude = std::max(std::abs(limits.lower), std::abs(limits.upper));
  const double quarter_width = limits.upper / 4 - limits.lower / 4;
  return magnitude <= 2 * kHuge && quarter_width > kTiny && quarter_width > 1e-13 * magnitude &&
         (scale == Scale::kLinear || limits.lower >= kTiny);
}

double AxisPosition(double value, Limits limits, Scale scale) {
  double position;
  if (scale == Scale::kLog) {
    if (!(value > 0) || !std::isfinite(value)) return std::numeric_limits<double>::quiet_NaN();
    position = (std::log(value) - std::log(limits.lower)) / (std::log(limits.upper) - std::log(limits.lower));
  } else {
    if (!std::isfinite(value)) return std::numeric_limits<double>::quiet_NaN();
    position = (value / 4 - limits.lower / 4) / (limits.upper / 4 - limits.lower / 4);  // quarters: no overflow
  }
  return std::clamp(position, -8.0, 9.0);
}

Ticks MakeTicks(Limits limits, Scale scale, int target) {
  return scale == Scale::kLog ? LogTicks(limits, target) : LinearTicks(limits, target);
}

}  // namespace instantgp::plot
