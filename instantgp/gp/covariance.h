// The covariance of an expression and its gradient, on the lower triangle, in double.
#pragma once

#include <memory>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/kernel/expression.h"

namespace instantgp {

struct Program;
class ThreadPool;

// Memory for one thread's evaluations; grows to what is needed and is reused.
struct CovarianceScratch {
  std::vector<double> points;    // per-point tables of each leaf
  std::vector<double> block;     // values of one block of pairs, every node; twice for two threads
  std::vector<double> products;  // derivatives times a vector, for each of two threads
  ThreadPool* pool = nullptr;    // not owned; if set, larger problems use two of its threads
};

// Immutable after construction; all methods are const and may run in parallel with a scratch each. Parameters are
// logarithms in table order (kernel/parameters.h). X is (n, d), scaled.
//
// Pairs (i, j) are visited in blocks of a few hundred along the columns of the lower triangle, so that all
// intermediate values stay in the cache and every loop is a SIMD loop over a block. Within a product of elementary
// kernels the exponents are added first: an ARD-SE kernel costs one exponential per pair whatever d. PER uses sin(a -
// b) = sin a cos b - cos a sin b and needs 2 n trigonometric calls, not n^2.
class Covariance {
 public:
  explicit Covariance(const Expression& expression);
  ~Covariance();
  Covariance(Covariance&&) noexcept;
  Covariance& operator=(Covariance&&) noexcept;

  int num_parameters() const;
  const Expression& expression() const;

  // K(X, X) into the lower triangle (with diagonal) of K (n, n); the upper triangle is not touched.
  void Gram(const Matrix& X, const double* log_parameters, Matrix& K, CovarianceScratch& scratch) const;

  // K(A, B) into K (rows of A, rows of B).
  void Cross(const Matrix& A, const Matrix& B, const double* log_parameters, Matrix& K,
             CovarianceScratch& scratch) const;

  // k(x_i, x_i) into out (n).
  void Diagonal(const Matrix& X, const double* log_parameters, Vector& out) const;

  // gradient[p] = sum over i >= j of W_ij dK_ij / d log theta_p, for the lower triangle W (n, n). The caller has
  // doubled the strictly lower entries if W stands for a symmetric matrix.
  void Contract(const Matrix& X, const double* log_parameters, const Matrix& W, double* gradient,
                CovarianceScratch& scratch) const;

  // The same, and the products of all derivatives with a (n) from one visit of the pairs: column p of `products`, which
  // is resized to (n, parameters), is dK / d log theta_p times a.
  void ContractAndMultiply(const Matrix& X, const double* log_parameters, const Matrix& W, const Vector& a,
                           double* gradient, Matrix& products, CovarianceScratch& scratch) const;

  // With W (rows of A, rows of B), added to what is there, so that parts of A can be visited one after the other:
  //   gradient[p] += sum_ij W_ij d k(a_i, b_j) / d log theta_p
  //   B_gradient(j, c) += sum_i W_ij d k(a_i, b_j) / d b_jc
  void ContractCross(const Matrix& A, const Matrix& B, const double* log_parameters, const Matrix& W, double* gradient,
                     Matrix& B_gradient, CovarianceScratch& scratch) const;

  // gradient[p] += sum_i w_i d k(x_i, x_i) / d log theta_p.
  void ContractDiagonal(const Matrix& X, const double* log_parameters, const Vector& w, double* gradient) const;

 private:
  std::unique_ptr<Program> program_;
};

}  // namespace instantgp
