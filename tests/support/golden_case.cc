#include "tests/support/golden_case.h"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <utility>

#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/parse.h"
#include "tests/support/naive_gp.h"

namespace instantgp::testing {
namespace {

using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;

constexpr int kDigits = 25;

std::string Decimal(const Real& value) { return value.str(kDigits, std::ios_base::scientific); }

std::vector<Real> RowOf(const Matrix& X, Index i) {
  std::vector<Real> row;
  for (Index k = 0; k < X.cols(); ++k) row.emplace_back(X(i, k));
  return row;
}

Rows<Real> RowsOf(const Matrix& X) {
  Rows<Real> rows;
  for (Index i = 0; i < X.rows(); ++i) rows.push_back(RowOf(X, i));
  return rows;
}

std::vector<Real> Exactly(const Vector& v) { return {v.data(), v.data() + v.size()}; }

}  // namespace

std::vector<GoldenCase> AllGoldenCases() {
  std::vector<GoldenCase> cases;
  int seed = 0;
  const auto add = [&](std::string kernel, int n, int d) { cases.push_back({std::move(kernel), n, d, ++seed}); };

  for (const BaseSymbol s : kAllBaseSymbols) add(std::string(Name(s)), 5 + 2 * static_cast<int>(s), 1);
  // Every symbol on the first column times another on the second.
  for (const BaseSymbol s : kAllBaseSymbols) {
    const auto on = [](BaseSymbol symbol, const std::string& column) {
      std::string text;
      for (Elementary factor : FactorsOf(symbol)) {
        text += (text.empty() ? "" : "*") + std::string(Name(factor)) + "(" + column + ")";
      }
      return text;
    };
    const int number = static_cast<int>(s);
    add(on(s, "x1") + "*" + on(kAllBaseSymbols[(3 * number + 1) % kNumBaseSymbols], "x2"), 25 - 2 * number, 2);
  }
  // The smallest data.
  add("SE", 1, 1);
  add("SE*PER + LIN", 1, 1);
  add("LIN + MAT52", 2, 1);
  add("SE + LIN*PER", 2, 3);
  add("SE + LIN + PER + MAT52", 3, 2);
  // Sums, the same on every column.
  add("SE + SE", 20, 1);
  add("SE + LIN + PER", 25, 1);
  add("SE*LIN + SE*PER + LIN*PER + MAT52", 18, 1);
  add("SE + LIN + PER + MAT52 + SE*LIN + SE*PER + SE*MAT52 + LIN*PER + LIN*MAT52 + PER*MAT52", 16, 1);
  add("SE + LIN", 20, 3);
  add("PER + SE*MAT52", 15, 4);
  add("SE", 25, 8);
  add("SE + LIN + PER", 12, 8);
  add("MAT52 + LIN*PER", 10, 6);
  // A different sum on every column; columns left out.
  add("(SE(x1) + SE(x1)*LIN(x1)) * PER(x2)", 22, 2);
  add("(SE(x1) + PER(x1)) * (LIN(x2) + MAT52(x2)) * SE(x3)*PER(x3)", 20, 3);
  add("MAT52(x2) * (LIN(x5) + PER(x5)*MAT52(x5))", 18, 5);
  add("SE(x1)*LIN(x2)*PER(x3)*MAT52(x4)*SE(x5)*LIN(x6)*PER(x7)*MAT52(x8)", 16, 8);
  add("(SE(x1) + LIN(x1)) * SE(x3)*MAT52(x3) * (PER(x4) + LIN(x4)*PER(x4)) * MAT52(x8)", 14, 8);
  // Outside the family.
  add("SE(x1) + SE(x2)", 20, 2);
  add("SE(x1) + LIN(x1)*PER(x2)", 20, 2);
  add("(SE(x1) + SE(x2)) * (LIN(x1) + PER(x2))", 18, 2);
  add("SE*LIN*PER", 15, 1);
  add("SE*LIN*PER*MAT52", 12, 2);
  add("SE*SE", 15, 1);
  add("PER*PER + LIN*LIN", 12, 1);
  add("(SE + LIN)*PER", 20, 1);
  add("(SE + LIN*(PER + MAT52))*(SE + PER)", 16, 1);
  add("LIN(x1) + LIN(x2) + LIN(x3) + SE(x1)*SE(x2)*SE(x3)", 20, 3);
  add("MAT52(x1) + PER(x2)*(SE(x1) + LIN(x3)*(SE(x2) + PER(x4)))", 18, 4);
  // Levels and trends: each alone, times every elementary kernel, and as forecasts use them.
  for (const Elementary symbol : {Elementary::kMAT12, Elementary::kWIE, Elementary::kIOU, Elementary::kBIAS}) {
    const std::string name(Name(symbol));
    add(name, 5, 1);
    for (const Elementary other : kAllElementary) add(name + "*" + std::string(Name(other)), 9, 1);
    add(name + "(x1)*SE(x2) + " + name + "(x2)", 14, 2);
  }
  add("BIAS + LIN + WIE + SE*PER", 24, 1);
  add("BIAS + IOU + MAT12 + SE*PER", 24, 1);
  add("(WIE + IOU*MAT12)*(BIAS + LIN*WIE)*PER", 16, 1);
  return cases;
}

GoldenInputs InputsOf(const GoldenCase& golden) {
  const auto [kernel, n, d, seed] = golden;
  GoldenInputs in;
  in.expression = ParseKernel(kernel, DefaultColumnNames(d));
  in.X.resize(n, d);
  in.y.resize(n);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < d; ++k) in.X(i, k) = ((31 * i + 17 * k + 7 * i * k + 13 * seed) % 101 + 1) / 102.0;
    in.y[i] = ((57 * i * i + 23 * i + 29 * seed) % 97) / 48.0 - 1;
  }
  in.X_new.resize(4, d);
  in.X_new.row(0) = in.X.row(0);
  in.X_new.row(1) = in.X.row(n - 1).array() + 0.03;
  in.X_new.row(2).setConstant(1.25);
  in.X_new.row(3).setConstant(-0.5);
  const int p = NumParameters(in.expression);
  in.theta.resize(p + 1);
  for (int i = 0; i < p; ++i) in.theta[i] = ((53 * i + 19 * seed) % 43) / 20.0 - 1.6;
  in.theta[p] = -2 - (seed % 5) / 2.0;
  return in;
}

GoldenNumbers ComputeGoldenNumbers(const GoldenCase& golden) {
  const GoldenInputs in = InputsOf(golden);
  const Rows<Real> X = RowsOf(in.X);
  const std::vector<Real> y = Exactly(in.y);
  const std::vector<Real> theta = Exactly(in.theta);
  const NaiveGp<Real> gp(in.expression, X, y, theta);

  GoldenNumbers numbers;
  numbers.nlml = Decimal(gp.Nlml());
  const Real step("1e-14");
  for (std::size_t p = 0; p < theta.size(); ++p) {
    std::vector<Real> above = theta, below = theta;
    above[p] += step;
    below[p] -= step;
    const Real difference =
        NaiveGp<Real>(in.expression, X, y, above).Nlml() - NaiveGp<Real>(in.expression, X, y, below).Nlml();
    numbers.gradient.push_back(Decimal(difference / (2 * step)));
  }
  for (Index i = 0; i < in.X_new.rows(); ++i) {
    const std::vector<Real> x = RowOf(in.X_new, i);
    numbers.mean.push_back(Decimal(gp.Mean(x)));
    numbers.variance.push_back(Decimal(gp.LatentVariance(x)));
  }
  return numbers;
}

}  // namespace instantgp::testing
