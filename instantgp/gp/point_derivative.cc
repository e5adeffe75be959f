// Derivatives of pairs with respect to the right point: what inducing inputs are learned by.
#include "instantgp/gp/block_evaluator.h"

namespace instantgp {

namespace hn = pair::hn;
using pair::Load;
using pair::V;

namespace {

V Sign(V x) {
  const pair::D d;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0);
  return hn::Sub(hn::IfThenElseZero(hn::Gt(x, zero), one), hn::IfThenElseZero(hn::Lt(x, zero), one));
}

}  // namespace

void BlockEvaluator::AddPointDerivative(const pair::Block& block, int index, const double* a, const double* b) {
  const pair::D d;
  const ProgramLeaf& leaf = program_.leaves[index];
  double* sums = points_ + static_cast<std::ptrdiff_t>(index) * right_.stride;
  const auto weight = [=](int k) { return b == nullptr ? Load(a, k) : hn::Mul(Load(a, k), Load(b, k)); };
  const double* left = Left(leaf, 0);
  const double* right = Right(leaf, 0);
  switch (leaf.symbol) {
    case Elementary::kSE: {
      // forward: exp(-(u_i - u_j)^2); d/du_j = 2 (u_i - u_j) value
      const V two = hn::Set(d, 2.0);
      pair::AddColumnSums(block, sums, [=](int j) {
        const V uj = hn::Set(d, right[j]);
        return [=](int i, int k) { return hn::Mul(weight(k), hn::Mul(two, hn::Sub(Load(left, i), uj))); };
      });
      break;
    }
    case Elementary::kMAT52: {
      // forward: (1 + s + s^2/3) exp(-s), s = |u_i - u_j|; d/du_j = (u_i - u_j)/3 (1 + s) exp(-s)
      const V one = hn::Set(d, 1.0), third = hn::Set(d, 1.0 / 3);
      pair::AddColumnSums(block, sums, [=](int j) {
        const V uj = hn::Set(d, right[j]);
        return [=](int i, int k) {
          const V r = hn::Sub(Load(left, i), uj);
          const V s = hn::Abs(r);
          const V slope =
              hn::Div(hn::Mul(hn::Mul(r, third), hn::Add(one, s)), hn::MulAdd(s, hn::MulAdd(s, third, one), one));
          return hn::Mul(weight(k), slope);
        };
      });
      break;
    }
    case Elementary::kPER: {
      // forward: exp(-f sin^2(h_i - h_j)), f = 1 / (2 l^2); d/dh_j = 2 f sin cos value
      const V f = hn::Set(d, 2 * constants_[index].periodic_scale);
      const double* left_cos = Left(leaf, 1);
      const double* right_cos = Right(leaf, 1);
      pair::AddColumnSums(block, sums, [=](int j) {
        const V sj = hn::Set(d, right[j]), cj = hn::Set(d, right_cos[j]);
        return [=](int i, int k) {
          const V si = Load(left, i), ci = Load(left_cos, i);
          const V sine = hn::NegMulAdd(ci, sj, hn::Mul(si, cj));
          const V cosine = hn::MulAdd(si, sj, hn::Mul(ci, cj));
          return hn::Mul(weight(k), hn::Mul(f, hn::Mul(sine, cosine)));
        };
      });
      break;
    }
    case Elementary::kLIN: {
      // forward: w_i x_j + c; d/dx_j = w_i
      const double* w = Left(leaf, 1);
      pair::AddColumnSums(block, sums,
                          [=](int) { return [=](int i, int k) { return hn::Mul(weight(k), Load(w, i)); }; });
      break;
    }
    case Elementary::kMAT12: {
      // forward: exp(-|u_i - u_j|); d/du_j = sign(u_i - u_j) value. Zero where they meet, between both slopes.
      pair::AddColumnSums(block, sums, [=](int j) {
        const V uj = hn::Set(d, right[j]);
        return [=](int i, int k) { return hn::Mul(weight(k), Sign(hn::Sub(Load(left, i), uj))); };
      });
      break;
    }
    case Elementary::kWIE: {
      // forward: v min(|x_i|, |x_j|) where the signs agree; d/dx_j = v sign(x_j) where x_j is the nearer one, and half
      // of it where both are the same: two such halves are d/dx v |x|
      const V v = hn::Set(d, constants_[index].amplitude), half = hn::Set(d, 0.5);
      pair::AddColumnSums(block, sums, [=](int j) {
        const V xj = hn::Set(d, right[j]), slope = hn::Mul(v, Sign(xj));
        return [=](int i, int k) {
          const V xi = Load(left, i);
          const auto nearer = hn::And(hn::Gt(hn::Mul(xi, xj), hn::Zero(d)), hn::Gt(hn::Abs(xi), hn::Abs(xj)));
          const V at_it = hn::IfThenElseZero(hn::Eq(xi, xj), hn::Mul(half, slope));
          return hn::Mul(weight(k), hn::IfThenElse(nearer, slope, at_it));
        };
      });
      break;
    }
    case Elementary::kIOU: {
      // forward: a (f(|u_i|) + f(|u_j|) - f(|u_i - u_j|)), f'(s) = 1 - exp(-s);
      // d/du_j = a (sign(u_j) f'(|u_j|) + sign(u_i - u_j) f'(|u_i - u_j|))
      const double* own = Right(leaf, 3);
      const V amplitude = hn::Set(d, constants_[index].amplitude), one = hn::Set(d, 1.0);
      pair::AddColumnSums(block, sums, [=](int j) {
        const V uj = hn::Set(d, right[j]), own_slope = hn::Set(d, own[j]);
        return [=](int i, int k) {
          const V r = hn::Sub(Load(left, i), uj);
          const V fall = hn::Sub(one, pair::BoundedExp(hn::Neg(hn::Abs(r))));
          return hn::Mul(weight(k), hn::Mul(amplitude, hn::MulAdd(Sign(r), fall, own_slope)));
        };
      });
      break;
    }
    case Elementary::kBIAS:
      break;
  }
}

}  // namespace instantgp
