// An elementary kernel on the pairs of one column: its exponent, or its value where it has none. Internal to gp/.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "instantgp/gp/integrated_ou.h"
#include "instantgp/gp/pair_ops.h"
#include "instantgp/gp/program.h"

namespace instantgp {

// The per-point tables of one set of rows; table t starts at t * stride.
struct PointTables {
  const double* data = nullptr;
  std::ptrdiff_t stride = 0;
};

struct LeafConstants {
  double log_variance;
  double periodic_scale;  // PER: 1 / (2 l^2)
  double offset;          // LIN's c
  double amplitude;       // WIE, BIAS: v; IOU: v l^2
};

inline std::vector<LeafConstants> ConstantsOf(const Program& program, const double* log_parameters) {
  std::vector<LeafConstants> constants;
  constants.reserve(program.leaves.size());
  for (const ProgramLeaf& leaf : program.leaves) {
    const double* log_p = log_parameters + leaf.parameter;
    const double second = ParametersOf(leaf.symbol).size() > 1 ? log_p[1] : 0;  // lengthscale or offset
    const double log_amplitude = leaf.symbol == Elementary::kIOU ? log_p[0] + 2 * second : log_p[0];
    constants.push_back({log_p[0], 0.5 * std::exp(-2 * second), std::exp(second), std::exp(log_amplitude)});
  }
  return constants;
}

// Calls visit(column) where column(j)(i) is the vector for column j and rows i, i + 1, ...:
//   SE     q = (u_i - u_j)^2, u = x / (sqrt(2) l)
//   MAT52  s = |u_i - u_j|, u = sqrt(5) x / l
//   PER    q = sin^2(h_i - h_j) / (2 l^2), h = pi x / p
//   MAT12  s = |u_i - u_j|, u = x / l
//   LIN    v x_i x_j + c
//   WIE    v min(|x_i|, |x_j|) where the signs agree
//   IOU    v l^2 (f(|u_i|) + f(|u_j|) - f(|u_i - u_j|)), u = x / l (integrated_ou.h)
//   BIAS   v
template <typename Visit>
inline void VisitLeaf(const ProgramLeaf& leaf, const LeafConstants& constants, const PointTables& left_tables,
                      const PointTables& right_tables, const Visit& visit) {
  namespace hn = pair::hn;
  using pair::Load;
  using pair::V;
  const pair::D d;
  const double* left = left_tables.data + leaf.table * left_tables.stride;
  const double* right = right_tables.data + leaf.table * right_tables.stride;
  switch (leaf.symbol) {
    case Elementary::kSE:
      visit([=](int j) {
        const V b = hn::Set(d, right[j]);
        return [=](int i) {
          const V r = hn::Sub(Load(left, i), b);
          return hn::Mul(r, r);
        };
      });
      break;
    case Elementary::kMAT52:
    case Elementary::kMAT12:
      visit([=](int j) {
        const V b = hn::Set(d, right[j]);
        return [=](int i) { return hn::Abs(hn::Sub(Load(left, i), b)); };
      });
      break;
    case Elementary::kPER: {
      const double* left_cos = left + left_tables.stride;
      const double* right_cos = right + right_tables.stride;
      const V scale = hn::Set(d, constants.periodic_scale);
      visit([=](int j) {
        const V sj = hn::Set(d, right[j]), cj = hn::Set(d, right_cos[j]);
        return [=](int i) {
          const V s = hn::NegMulAdd(Load(left_cos, i), sj, hn::Mul(Load(left, i), cj));
          return hn::Mul(hn::Mul(s, s), scale);
        };
      });
      break;
    }
    case Elementary::kLIN: {
      const double* w = left + left_tables.stride;  // v x
      const V offset = hn::Set(d, constants.offset);
      visit([=](int j) {
        const V x = hn::Set(d, right[j]);
        return [=](int i) { return hn::MulAdd(Load(w, i), x, offset); };
      });
      break;
    }
    case Elementary::kWIE: {
      const V v = hn::Set(d, constants.amplitude);
      visit([=](int j) {
        const V b = hn::Set(d, right[j]);
        return [=](int i) {
          const V a = Load(left, i);
          const V nearer = hn::Mul(v, hn::Min(hn::Abs(a), hn::Abs(b)));
          return hn::IfThenElseZero(hn::Gt(hn::Mul(a, b), hn::Zero(d)), nearer);
        };
      });
      break;
    }
    case Elementary::kIOU: {
      const double* left_f = left + left_tables.stride;
      const double* right_f = right + right_tables.stride;
      const V amplitude = hn::Set(d, constants.amplitude);
      visit([=](int j) {
        const V b = hn::Set(d, right[j]), f_b = hn::Set(d, right_f[j]);
        return [=](int i) {
          const V between = pair::IouF(hn::Abs(hn::Sub(Load(left, i), b)));
          return hn::Mul(amplitude, hn::Sub(hn::Add(Load(left_f, i), f_b), between));
        };
      });
      break;
    }
    case Elementary::kBIAS: {
      const V v = hn::Set(d, constants.amplitude);
      visit([=](int) { return [=](int) { return v; }; });
      break;
    }
  }
}

}  // namespace instantgp
