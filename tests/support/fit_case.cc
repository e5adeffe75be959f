#include "tests/support/fit_case.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "instantgp/data/csv.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/symbol.h"

namespace instantgp::testing {
namespace {

double ScaleOf(Chooser& choose) {
  constexpr std::array<double, 12> scales = {1, 1, 1, 1, 1e3, 1e-3, 1e6, 1e-6, 1e9, 1e-9, 1e12, 1e-12};
  return scales[static_cast<std::size_t>(choose.Below(static_cast<int>(scales.size())))];
}

// Far from 0 in units of its own spread: differences lose the digits that the offset has.
double OffsetOf(Chooser& choose, double scale) {
  constexpr std::array<double, 6> offsets = {0, 0, 1, -10, 1e5, 1e9};
  return scale * offsets[static_cast<std::size_t>(choose.Below(static_cast<int>(offsets.size())))];
}

// Up to 1e140, whose square is still a double, and down to 1e-140.
double WildValue(Chooser& choose) {
  const double value = choose.AnyDouble();
  if (!std::isfinite(value) || std::abs(value) > 1e140) return value > 0 ? 1e140 : -1e140;
  return std::abs(value) < 1e-140 ? 0 : value;
}

Vector InputColumn(Chooser& choose, int n, bool wild) {
  Vector x(n);
  const int kind = choose.Below(7);
  for (int i = 0; i < n; ++i) {
    switch (kind) {
      case 0:
        x[i] = static_cast<double>(i) / n;
        break;  // a grid
      case 1:
        x[i] = choose.Unit();
        break;  // scattered
      case 2:
        x[i] = choose.Below(3);
        break;  // few values, many times
      case 3:
        x[i] = 0.5;
        break;  // one value
      case 4:
        x[i] = 0.5 + 1e-13 * choose.Below(4);
        break;  // nearly one value
      case 5:
        x[i] = i == 0 ? 1e12 : choose.Unit();
        break;  // an outlier
      default:
        x[i] = wild ? WildValue(choose) : choose.Unit();
    }
  }
  if (kind == 6 && wild) return x;
  const double scale = ScaleOf(choose);
  return (x.array() * scale + OffsetOf(choose, scale)).matrix();
}

Vector TargetColumn(Chooser& choose, const Matrix& X, bool wild) {
  const int n = static_cast<int>(X.rows());
  // A smooth function of the first column's ranks: the same whatever the units.
  Vector y(n);
  const int kind = choose.Below(8);
  const double low = X.col(0).minCoeff(), range = std::max(X.col(0).maxCoeff() - low, 1e-300);
  for (int i = 0; i < n; ++i) {
    const double t = std::isfinite(range) ? (X(i, 0) - low) / range : 0;
    switch (kind) {
      case 0:
        y[i] = std::sin(6 * t);
        break;  // no noise
      case 1:
        y[i] = std::sin(6 * t) + 0.3 * (choose.Unit() - 0.5);
        break;
      case 2:
        y[i] = 2 * t - 1;
        break;  // a line, exactly
      case 3:
        y[i] = 3;
        break;  // a constant
      case 4:
        y[i] = choose.Below(2);
        break;  // two values
      case 5:
        y[i] = i == 0 ? 1e9 : choose.Unit();
        break;  // an outlier
      case 6:
        y[i] = std::exp(8 * t) * (0.5 + choose.Unit());
        break;  // over orders of magnitude
      default:
        y[i] = wild ? WildValue(choose) : choose.Unit() - 0.5;
    }
  }
  if (kind == 7 && wild) return y;
  const double scale = ScaleOf(choose);
  return (y.array() * scale + OffsetOf(choose, scale)).matrix();
}

std::string LeafText(Chooser& choose, const Dataset& data, bool amortised) {
  const int count = amortised ? kNumElementaryBaseSymbols : kNumElementary;
  const Elementary symbol = kAllElementary[static_cast<std::size_t>(choose.Below(count))];
  std::string text = std::string(Name(symbol)) + "(" + std::to_string(choose.Below(data.columns()) + 1);
  if (choose.Rarely(12)) {
    constexpr std::array<const char*, 5> values = {"1", "0.01", "100", "1e-9", "1e9"};
    const auto kinds = ParametersOf(symbol);
    const ParameterKind kind = kinds[static_cast<std::size_t>(choose.Below(static_cast<int>(kinds.size())))];
    text += ", " + std::string(Name(kind)) + "=" + values[static_cast<std::size_t>(choose.Below(5))];
  }
  return text + ")";
}

std::string TreeText(Chooser& choose, const Dataset& data, int depth) {
  if (depth == 0 || choose.Below(3) == 0) return LeafText(choose, data, false);
  const char* const op = choose.Below(2) == 0 ? " + " : " * ";
  std::string text = "(" + TreeText(choose, data, depth - 1);
  for (int k = 1 + choose.Below(2); k > 0; --k) text += op + TreeText(choose, data, depth - 1);
  return text + ")";
}

// Of the network's family more often than not: the methods that ask it take no other.
std::string KernelText(Chooser& choose, const Dataset& data) {
  constexpr std::array<const char*, 14> usual = {"SE",
                                                 "LIN",
                                                 "PER",
                                                 "MAT52",
                                                 "SE + LIN",
                                                 "SE*PER",
                                                 "LIN*PER",
                                                 "LIN + SE*PER",
                                                 "SE + SE",
                                                 "LIN + LIN*MAT52",
                                                 "SE + LIN + PER + MAT52",
                                                 "PER*MAT52",
                                                 "SE*LIN + PER",
                                                 "LIN*MAT52"};
  const int kind = choose.Below(4);
  if (kind < 2) return usual[static_cast<std::size_t>(choose.Below(static_cast<int>(usual.size())))];
  if (kind == 2) return LeafText(choose, data, true);
  return TreeText(choose, data, 3);
}

Matrix NewRowsFor(Chooser& choose, const Matrix& X) {
  const Index n = X.rows();
  Matrix rows(5, X.cols());
  rows.row(0) = X.row(0);
  rows.row(1) = 0.5 * X.row(0) + 0.5 * X.row(n - 1);
  for (Index j = 0; j < X.cols(); ++j) {
    const double low = X.col(j).minCoeff(), high = X.col(j).maxCoeff();
    const double range = std::min(high - low, 1e300);
    rows(2, j) = low - 0.1 * range;
    rows(3, j) = high + 3 * range;
    rows(4, j) = choose.Below(2) == 0 ? 1e6 : -1e6;
  }
  return rows.unaryExpr([](double x) { return std::isfinite(x) ? x : 0.0; });
}

}  // namespace

FitCase MakeFitCase(Chooser& choose, const FitCaseLimits& limits) {
  FitCase made;
  FitOptions& options = made.options;
  options.method = static_cast<Method>(choose.Below(9));
  const int n = 1 + choose.Below(choose.Below(3) == 0 ? limits.rows : std::min(limits.rows, 8));
  const int d = 1 + choose.Below(limits.columns);
  Matrix X(n, d);
  for (int j = 0; j < d; ++j) X.col(j) = InputColumn(choose, n, limits.wild);
  Vector y = TargetColumn(choose, X, limits.wild);
  if (choose.Below(3) == 0 && n > 1) {  // rows twice, with the same target or another
    for (int k = 1 + choose.Below(n); k > 0; --k) {
      const int from = choose.Below(n), to = choose.Below(n);
      X.row(to) = X.row(from);
      if (choose.Below(2) == 0) y[to] = y[from];
    }
  }
  made.data = Dataset::Of(X, y);
  made.kernel = KernelText(choose, made.data);
  if (options.method != Method::kOneShot || choose.Rarely(4)) {
    options.steps = options.method == Method::kOneShot ? 0 : 1 + choose.Below(limits.steps);
  }
  options.map = options.method == Method::kRefine && choose.Below(2) == 1;
  options.restarts = 1 + choose.Below(2);
  options.inducing = choose.Below(2) == 0 ? 0 : 1 + choose.Below(n);
  options.neighbours = choose.Below(2) == 0 ? 0 : 1 + choose.Below(n);
  options.every_lengthscale = options.method == Method::kNeighbours && choose.Below(2) == 1;
  options.exact = choose.Below(2) == 1;
  if (choose.Rarely(4)) options.transform = static_cast<TransformChoice>(choose.Below(4));
  options.seed = static_cast<std::uint64_t>(choose.Below(100));
  made.X_new = NewRowsFor(choose, X);
  return made;
}

std::string Describe(const FitCase& fit_case) {
  Matrix table(fit_case.data.rows(), fit_case.data.columns() + 1);
  table << fit_case.data.X, fit_case.data.y;
  const FitOptions& options = fit_case.options;
  std::vector<std::string> names = fit_case.data.column_names;
  names.push_back(fit_case.data.target_name);
  return "method " + std::string(Name(options.method)) + ", steps " + std::to_string(options.steps.value_or(-1)) +
         ", transform " + std::string(Name(options.transform)) + (options.map ? ", map" : "") +
         (options.exact ? ", exact" : "") + ", inducing " + std::to_string(options.inducing) + ", neighbours " +
         std::to_string(options.neighbours) + (options.every_lengthscale ? ", every lengthscale" : "") + ", seed " +
         std::to_string(options.seed) + ", kernel " + fit_case.kernel + "\n" + FormatCsv(names, table);
}

}  // namespace instantgp::testing
