// Bayesian optimisation by ask and tell: where to evaluate an expensive function next.
//
//   bayesian_optimisation [--seeds N] [--evaluations N] [--plot FILE.svg]
//
// Minimises Branin (2 inputs) and Hartmann-6 (6 inputs). After every evaluation the parameters of the Gaussian process
// are inferred anew, in one shot by the network or by maximum likelihood; the next point maximises the expected
// improvement. Both see the same starts and the same candidates, so that only the models differ.
#include <instantgp/instantgp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

// Of the source tree, not installed: a random stream, the network, figures, and files written whole.
#include "instantgp/base/file.h"
#include "instantgp/base/rng.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/plot/axes.h"
#include "instantgp/plot/figure.h"

namespace {

using namespace instantgp;

constexpr char kKernel[] = "SE";

struct Problem {
  std::string name;
  int dimensions;
  double minimum;
  double (*value)(const Vector& x);  // x in [0, 1]^d
};

double Branin(const Vector& u) {
  const double pi = std::numbers::pi, x = 15 * u[0] - 5, y = 15 * u[1];
  const double bowl = y - 5.1 / (4 * pi * pi) * x * x + 5 / pi * x - 6;
  return bowl * bowl + 10 * (1 - 1 / (8 * pi)) * std::cos(x) + 10;
}

double Hartmann6(const Vector& u) {
  static const double weight[4] = {1.0, 1.2, 3.0, 3.2};
  static const double A[4][6] = {
      {10, 3, 17, 3.5, 1.7, 8}, {0.05, 10, 17, 0.1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8}, {17, 8, 0.05, 10, 0.1, 14}};
  static const double P[4][6] = {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                                 {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                                 {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                                 {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    double distance = 0;
    for (int j = 0; j < 6; ++j) distance += A[i][j] * (u[j] - P[i][j]) * (u[j] - P[i][j]);
    sum -= weight[i] * std::exp(-distance);
  }
  return sum;
}

// E[max(best - f, 0)] for f ~ N(mean, std^2)
double ExpectedImprovement(double mean, double std, double best) {
  if (std <= 0) return std::max(best - mean, 0.0);
  const double z = (best - mean) / std;
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
  return std * (z * 0.5 * std::erfc(-z / std::numbers::sqrt2) + density);
}

class Optimizer {
 public:
  Optimizer(int dimensions, Method method, std::uint64_t seed)
      : dimensions_(dimensions), method_(method), random_(seed), X_(0, dimensions) {}

  // The point to evaluate next: random ones at first.
  Vector Ask() {
    if (y_.size() < 2 * dimensions_ + 1) return Random();
    const auto start = std::chrono::steady_clock::now();
    const Index known = model_ ? model_->rows() : 0, fresh = y_.size() - known;
    if (method_ == Method::kOneShot && model_) {
      const UpdateOptions options = {.reinfer = Reinfer::kAlways};
      model_ = Update(session_, *model_, X_.bottomRows(fresh), y_.tail(fresh), options).model;
    } else {
      model_ = session_.Fit(Dataset::Of(X_, y_), kKernel, {.method = method_});
    }
    model_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const Matrix candidates = Candidates();
    const Prediction f = model_->Predict(candidates, Noise::kLatent);
    Index chosen = 0;
    double most = -1;
    for (Index i = 0; i < candidates.rows(); ++i) {
      const double improvement = ExpectedImprovement(f.mean[i], f.std[i], y_.minCoeff());
      if (improvement > most) {
        most = improvement;
        chosen = i;
      }
    }
    return candidates.row(chosen);
  }

  void Tell(const Vector& x, double y) {
    X_.conservativeResize(X_.rows() + 1, Eigen::NoChange);
    X_.bottomRows(1) = x.transpose();
    y_.conservativeResize(y_.size() + 1);
    y_[y_.size() - 1] = y;
  }

  double best() const { return y_.minCoeff(); }
  double model_seconds() const { return model_seconds_; }

 private:
  Vector Random() {
    Vector x(dimensions_);
    for (double& value : x) value = random_.Uniform();
    return x;
  }

  // A thousand points anywhere, and as many around the best so far, at distances from a third down to a thousandth.
  Matrix Candidates() {
    constexpr int kEach = 1000;
    Matrix candidates(2 * kEach, dimensions_);
    Index best = 0;
    y_.minCoeff(&best);
    for (int i = 0; i < kEach; ++i) {
      candidates.row(i) = Random().transpose();
      const double distance = 0.3 * std::pow(10.0, -2.5 * random_.Uniform());
      for (int k = 0; k < dimensions_; ++k) {
        candidates(kEach + i, k) = std::clamp(X_(best, k) + distance * random_.Normal(), 0.0, 1.0);
      }
    }
    return candidates;
  }

  int dimensions_;
  Method method_;
  RandomStream random_;
  Matrix X_;
  Vector y_;
  Session session_{{.threads = 1}};
  std::optional<Model> model_;
  double model_seconds_ = 0;
};

struct Course {
  Matrix regret;  // (evaluations, seeds)
  double seconds = 0;
};

Course Run(const Problem& problem, Method method, int evaluations, int seeds) {
  Course course;
  course.regret.resize(evaluations, seeds);
  for (int seed = 0; seed < seeds; ++seed) {
    Optimizer optimizer(problem.dimensions, method, static_cast<std::uint64_t>(seed));
    for (int i = 0; i < evaluations; ++i) {
      const Vector x = optimizer.Ask();
      optimizer.Tell(x, problem.value(x));
      course.regret(i, seed) = optimizer.best() - problem.minimum;
    }
    course.seconds += optimizer.model_seconds();
  }
  return course;
}

Vector RowQuantile(const Matrix& values, double probability) {
  Vector quantile(values.rows());
  for (Index i = 0; i < values.rows(); ++i) {
    std::vector<double> row(static_cast<std::size_t>(values.cols()));
    for (Index k = 0; k < values.cols(); ++k) row[static_cast<std::size_t>(k)] = values(i, k);
    std::sort(row.begin(), row.end());
    quantile[i] = row[static_cast<std::size_t>(std::lround(probability * static_cast<double>(row.size() - 1)))];
  }
  return quantile;
}

}  // namespace

int main(int argc, char** argv) {
  int seeds = 11, evaluations = 60;
  std::string plot_file;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--seeds") seeds = std::max(1, std::stoi(argv[i + 1]));
    if (option == "--evaluations") evaluations = std::max(2, std::stoi(argv[i + 1]));
    if (option == "--plot") plot_file = argv[i + 1];
  }
  const Problem problems[] = {{"Branin", 2, 0.39788735772973816, Branin},
                              {"Hartmann-6", 6, -3.32236801141551, Hartmann6}};
  const std::pair<Method, const char*> methods[] = {
      {Method::kOneShot, "one-shot"}, {Method::kMl, "maximum likelihood"}, {Method::kMultiStart, "ML, ten starts"}};
  TrainedNetwork::Embedded();  // reading the weights is not part of a model's time
  plot::Figure figure(1, 2, {380, 260});
  std::printf("%-11s %-19s %15s %15s %12s\n", "function", "parameters by", "median regret", "quartiles", "model s/run");
  for (int p = 0; p < 2; ++p) {
    const Problem& problem = problems[p];
    plot::Axes& axes = figure.At(0, p);
    axes.Title(problem.name).XLabel("evaluations").YScale(plot::Scale::kLog);
    if (p == 0) axes.YLabel("regret, median and quartiles");
    const Vector steps = Vector::LinSpaced(evaluations, 1, evaluations);
    for (int m = 0; m < 3; ++m) {
      // Ten starts cost so much that one run in four has to do.
      const Course course = Run(problem, methods[m].first, evaluations, m == 2 ? (seeds + 3) / 4 : seeds);
      const Vector lower = RowQuantile(course.regret, 0.25), middle = RowQuantile(course.regret, 0.5),
                   upper = RowQuantile(course.regret, 0.75);
      const Index last = evaluations - 1;
      std::printf("%-11s %-19s %15.5f %7.4f %7.4f %12.3f\n", problem.name.c_str(), methods[m].second, middle[last],
                  lower[last], upper[last], course.seconds / static_cast<double>(course.regret.cols()));
      if (m == 2) continue;
      axes.Band(steps, lower, upper, {plot::PaletteColor(m), 0.15});
      axes.Line(steps, middle, {plot::PaletteColor(m), 1.8}, methods[m].second);
    }
  }
  if (!plot_file.empty()) WriteFileAtomically(plot_file, figure.ToSvg());
}
