// Marginal likelihood with its full gradient against plain LAPACK dpotrf + dpotri of the same n, in one run.
//
// The target is a ratio of at most 3. After the ordinary table a summary repeats each pair and its ratio; the two are
// timed in turn, the smallest of many repetitions counts, because the machine is shared.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "instantgp/base/blas_kernels.h"
#include "instantgp/base/rng.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/simulate/distribution.h"

extern "C" {
void dpotrf_(const char*, const int*, double*, const int*, int*);
void dpotri_(const char*, const int*, double*, const int*, int*);
}

namespace instantgp {
namespace {

struct Setting {
  int n, d;
  const char* kernel;  // the same on every column
};
constexpr Setting kSettings[] = {{100, 2, "SE"}, {250, 4, "SE + LIN"}, {500, 8, "SE + LIN + PER"}, {1000, 8, "SE"}};

struct Problem {
  Expression expression;
  Matrix X;
  Vector y;
  LogParameters theta;
  Matrix A;  // K + s2 I, full
};

Problem MakeProblem(const Setting& setting) {
  const Expression e = ParseKernel(setting.kernel, DefaultColumnNames(setting.d));
  const SimulatedFunction f = SimulateFunction(e, setting.n, setting.d, 1, 0, std::nullopt);
  Problem problem{e, f.X, f.y, f.theta, Matrix::Zero(setting.n, setting.n)};
  problem.theta.noise() = std::log(0.01);
  CovarianceScratch scratch;
  Covariance(e).Cross(f.X, f.X, problem.theta.data(), problem.A, scratch);
  problem.A.diagonal().array() += 0.01;
  return problem;
}

void Lapack(const Problem& problem, Matrix& work) {
  work = problem.A;
  const int n = static_cast<int>(work.rows());
  int info = 0;
  dpotrf_("L", &n, work.data(), &n, &info);
  dpotri_("L", &n, work.data(), &n, &info);
  if (info != 0) std::abort();
  benchmark::DoNotOptimize(work.data());
}

double Nlml(const Problem& problem, const Covariance& covariance, Vector& gradient, NlmlWorkspace& workspace) {
  const NlmlValue value =
      NegativeLogMarginalLikelihood(covariance, problem.X, problem.y, problem.theta, &gradient, workspace);
  if (!value.ok) std::abort();
  return value.nlml;
}

void BM_Lapack(benchmark::State& state) {
  const Problem problem = MakeProblem(kSettings[state.range(0)]);
  Matrix work;
  for (auto _ : state) Lapack(problem, work);
}

void BM_NlmlAndGradient(benchmark::State& state) {
  const Setting& setting = kSettings[state.range(0)];
  const Problem problem = MakeProblem(setting);
  const Covariance covariance(problem.expression);
  Vector gradient;
  NlmlWorkspace workspace;
  for (auto _ : state) benchmark::DoNotOptimize(Nlml(problem, covariance, gradient, workspace));
  state.SetLabel("n=" + std::to_string(setting.n) + " d=" + std::to_string(setting.d) + " " + setting.kernel);
}

BENCHMARK(BM_Lapack)->DenseRange(0, std::size(kSettings) - 1)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_NlmlAndGradient)->DenseRange(0, std::size(kSettings) - 1)->Unit(benchmark::kMicrosecond);

// Processor time of this thread: other work on the machine does not count.
double ThreadMicroseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

template <typename F>
double Microseconds(F f) {
  const double start = ThreadMicroseconds();
  f();
  return ThreadMicroseconds() - start;
}

void PrintRatios() {
  std::printf("\n%6s %3s %-16s %10s %14s %14s %7s\n", "n", "d", "kernel", "parameters", "potrf+potri us",
              "nlml+grad us", "ratio");
  for (const Setting& setting : kSettings) {
    const Problem problem = MakeProblem(setting);
    const Covariance covariance(problem.expression);
    Matrix work;
    Vector gradient;
    NlmlWorkspace workspace;
    double lapack = 1e30, ours = 1e30;
    for (int k = 0; k < 60; ++k) {
      lapack = std::min(lapack, Microseconds([&] { Lapack(problem, work); }));
      ours = std::min(ours, Microseconds([&] { Nlml(problem, covariance, gradient, workspace); }));
    }
    std::printf("%6d %3d %-16s %10d %14.1f %14.1f %7.2f\n", setting.n, setting.d, setting.kernel,
                covariance.num_parameters(), lapack, ours, ours / lapack);
  }
}

}  // namespace
}  // namespace instantgp

int main(int argc, char** argv) {
  instantgp::SetBlasThreads(1);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  instantgp::PrintRatios();
  return 0;
}
