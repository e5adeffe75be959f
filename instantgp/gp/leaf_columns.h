// An elementary kernel on the pairs of one column: its exponent, or its value where it has none. Internal to gp/.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

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
  double periodic_scale;  // 1 / (2 l^2)
  double offset;          // LIN's c
};

inline std::vector<LeafConstants> ConstantsOf(const Program& program, const double* log_parameters) {
  std::vector<LeafConstants> constants;
  constants.reserve(program.leaves.size());
  for (const ProgramLeaf& leaf : program.leaves) {
    const double* log_p = log_parameters + leaf.parameter;
    constants.push_back({log_p[0], 0.5 * std::exp(-2 * log_p[1]), std::exp(log_p[1])});
  }
  return constants;
}

// Calls visit(column) where column(j)(i) is the vector for column j and rows i, i + 1, ...:
//   SE     q = (u_i - u_j)^2, u = x / (sqrt(2) l)
//   MAT52  s = |u_i - u_j|, u = sqrt(5) x / l
//   PER    q = sin^2(h_i - h_j) / (2 l^2), h = pi x / p
//   LIN    v x_i x_j + c
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
  }
}

}  // namespace instantgp
