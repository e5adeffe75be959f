#include "instantgp/gp/collapsed_bound.h"

#include <algorithm>
#include <cmath>

#include "instantgp/base/check.h"
#include "instantgp/base/normal.h"
#include "instantgp/base/resize.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/gp/lapack.h"

namespace instantgp {
namespace {

constexpr Index kChunk = 512;  // rows whose covariance with Z is held besides V
constexpr Index kTwoHalves = 2 * kChunk;

// Calls visit(half, first, count) for all chunks of rows, the halves at the same time if there is a pool.
template <typename Visit>
void ForEachChunk(Index n, BoundWorkspace& workspace, Visit visit) {
  const Index middle = n < kTwoHalves ? n : n / 2;
  const auto run = [&](int part) {
    const Index last = part == 0 ? middle : n;
    for (Index first = part == 0 ? 0 : middle; first < last; first += kChunk) {
      visit(workspace.halves[static_cast<std::size_t>(part)], first, std::min(kChunk, last - first));
    }
  };
  if (workspace.pool != nullptr && middle < n) {
    workspace.pool->Run(2, [&](int part, int) { run(part); });
  } else {
    run(0);
    run(1);
  }
}

// C += A^T A on the lower triangle.
void AddSquare(const Eigen::Ref<const Matrix>& A, Matrix& C) {
  const int m = static_cast<int>(A.cols()), rows = static_cast<int>(A.rows());
  const int lda = static_cast<int>(A.outerStride());
  const double one = 1;
  lapack::dsyrk_("L", "T", &m, &rows, &one, A.data(), &lda, &one, C.data(), &m);
}

void MakeSymmetric(Matrix& A) { A.triangularView<Eigen::StrictlyUpper>() = A.transpose(); }

struct Evaluation {
  const Covariance& covariance;
  const Matrix& X;
  const Vector& y;
  const Matrix& Z;
  const LogParameters& theta;
  BoundWorkspace& workspace;
  double beta = 0;
  double relative_jitter = 0;  // of the mean diagonal of Kmm
  double unexplained = 0;      // tr Knn - |V|^2

  BoundValue Value();
  void Gradient(Vector& gradient, Matrix& Z_gradient);
};

BoundValue Evaluation::Value() {
  const Index n = X.rows(), m = Z.rows();
  BoundValue result;
  if (!theta.allFinite() || !Z.allFinite()) {
    result.reason = "a parameter or an inducing input is not finite";
    return result;
  }
  lapack::PinToOneThread();
  beta = std::exp(-theta.noise());
  Matrix& L = workspace.L;
  Resize(L, m, m);
  double mean_diagonal = 0;
  const auto build = [&](Matrix& target) {
    covariance.Gram(Z, theta.data(), target, workspace.halves[0].covariance);
    mean_diagonal = target.diagonal().mean();
    target.diagonal().array() += kInducingJitter * mean_diagonal;
  };
  build(L);
  const Factorization factor = Factorize(L, build);
  if (!factor.ok) {
    result.reason = factor.reason;
    return result;
  }
  result.jitter = kInducingJitter * mean_diagonal + factor.jitter;
  relative_jitter = result.jitter / mean_diagonal;

  for (BoundWorkspace::Half& half : workspace.halves) {
    half.VtV.setZero(m, m);
    half.Vty.setZero(m);
  }
  Matrix& V = workspace.V;
  Resize(V, n, m);
  ForEachChunk(n, workspace, [&](BoundWorkspace::Half& half, Index first, Index count) {
    covariance.Cross(X.middleRows(first, count), Z, theta.data(), half.K, half.covariance);
    SolveRightLowerTransposed(L, half.K);
    AddSquare(half.K, half.VtV);
    half.Vty.noalias() += half.K.transpose() * y.segment(first, count);
    V.middleRows(first, count) = half.K;
  });
  Matrix& VtV = workspace.halves[0].VtV;
  Vector& Vty = workspace.halves[0].Vty;
  VtV += workspace.halves[1].VtV;
  Vty += workspace.halves[1].Vty;

  Matrix& LB = workspace.LB;
  const auto build_B = [&](Matrix& target) {
    target = beta * VtV;
    target.diagonal().array() += 1;
  };
  build_B(LB);
  const Factorization factor_B = Factorize(LB, build_B);
  if (!factor_B.ok || factor_B.rung > 0) {
    result.reason = "the system of the inducing points cannot be factorised";
    return result;
  }
  Vector& c = workspace.c;
  c = beta * Vty;
  SolveLower(LB, c);
  const double explained = c.squaredNorm();  // beta^2 y^T V B^-1 V^T y
  SolveLowerTransposed(LB, c);

  Vector diagonal;
  covariance.Diagonal(X, theta.data(), diagonal);
  unexplained = diagonal.sum() - VtV.trace();
  const double count = static_cast<double>(n);
  const double log_determinant_half = LB.diagonal().array().log().sum() + 0.5 * count * theta.noise();
  result.negative_elbo =
      kHalfLog2Pi +
      (log_determinant_half + 0.5 * (beta * y.squaredNorm() - explained) + 0.5 * beta * unexplained) / count;
  result.ok = std::isfinite(result.negative_elbo);
  if (!result.ok) result.reason = "the bound is not finite";
  return result;
}

void Evaluation::Gradient(Vector& gradient, Matrix& Z_gradient) {
  const Index n = X.rows(), m = Z.rows(), p = covariance.num_parameters();
  const Matrix& L = workspace.L;
  Matrix P = workspace.LB;  // I - B^-1
  InvertFromFactor(P);
  MakeSymmetric(P);
  P = -P;
  P.diagonal().array() += 1;
  const double trace_P = P.trace();

  // G_nm = V T + r t^T with T = beta P L^-1, t = beta L^-T c
  Matrix T = beta * P;
  SolveRightLower(L, T);
  Vector t = beta * workspace.c;
  SolveLowerTransposed(L, t);
  for (BoundWorkspace::Half& half : workspace.halves) {
    half.gradient.setZero(p);
    half.Z_gradient.setZero(m, Z.cols());
    half.residual = 0;
  }
  ForEachChunk(n, workspace, [&](BoundWorkspace::Half& half, Index first, Index count) {
    const auto V = workspace.V.middleRows(first, count);
    const Vector r = y.segment(first, count) - V * workspace.c;
    half.residual += r.squaredNorm();
    half.K.noalias() = V * T;
    half.K.noalias() += r * t.transpose();
    covariance.ContractCross(X.middleRows(first, count), Z, theta.data(), half.K, half.gradient.data(), half.Z_gradient,
                             half.covariance);
  });
  BoundWorkspace::Half& total = workspace.halves[0];
  total.gradient += workspace.halves[1].gradient;
  total.Z_gradient += workspace.halves[1].Z_gradient;
  const double residual = total.residual + workspace.halves[1].residual;

  // G_mm; the jitter follows the mean diagonal, so the diagonal gets its share of the trace
  MakeSymmetric(total.VtV);
  Matrix G = 0.5 * (P - beta * total.VtV - workspace.c * workspace.c.transpose());
  SolveRightLower(L, G);
  SolveLowerTransposed(L, G);
  G.diagonal().array() += relative_jitter * G.trace() / static_cast<double>(m);
  Matrix once = Matrix::Zero(m, Z.cols());  // k(z_i, z_j) depends on z_j on both sides
  covariance.ContractCross(Z, Z, theta.data(), G, total.gradient.data(), once, total.covariance);
  total.Z_gradient += 2 * once;

  covariance.ContractDiagonal(X, theta.data(), Vector::Constant(n, -0.5 * beta), total.gradient.data());

  const double count = static_cast<double>(n);
  const double d_beta = 0.5 * (count / beta - residual - unexplained - trace_P / beta);
  Resize(gradient, p + 1);
  gradient.head(p) = -total.gradient / count;
  gradient[p] = beta * d_beta / count;
  Z_gradient = -total.Z_gradient / count;
}

}  // namespace

BoundValue NegativeElbo(const Covariance& covariance, const Matrix& X, const Vector& y, const Matrix& Z,
                        const LogParameters& theta, Vector* gradient, Matrix* Z_gradient, BoundWorkspace& workspace) {
  INSTANTGP_CHECK(X.rows() > 0 && y.size() == X.rows() && Z.rows() > 0 && Z.cols() == X.cols());
  INSTANTGP_CHECK(theta.size() == covariance.num_parameters() + 1);
  INSTANTGP_CHECK((gradient == nullptr) == (Z_gradient == nullptr));
  Evaluation evaluation{covariance, X, y, Z, theta, workspace};
  BoundValue result = evaluation.Value();
  if (result.ok && gradient != nullptr) {
    evaluation.Gradient(*gradient, *Z_gradient);
    if (!gradient->allFinite() || !Z_gradient->allFinite()) {
      result.ok = false;
      result.reason = "the gradient of the bound is not finite";
    }
  }
  return result;
}

}  // namespace instantgp
