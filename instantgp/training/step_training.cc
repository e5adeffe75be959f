#include "instantgp/training/step_training.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/data/dataset.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/learned_pull.h"
#include "instantgp/inference/oneshot.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/training/mixture.h"
#include "instantgp/training/optimizer.h"
#include "instantgp/training/schedule.h"

namespace instantgp {
namespace {

constexpr double kMostLoss = 5;
constexpr std::uint32_t kLessonStream = 77;  // of random numbers, beside those of the simulation

// A dataset as a user's would be scaled, with further rows.
struct Lesson {
  Encoding encoding;
  Structure structure;
  Matrix X_test;
  Vector y_test;
};

// Targets of real tables are skewed, rounded, and now and then wrong, which no Gaussian process draws. Half of the
// tables get one of these, chosen by the first number of `random`; the rows held out the same.
void MakeUnGaussian(RandomStream random, Vector& y, Vector& y_test) {
  const double kind = random.Uniform(), size = random.Uniform();
  const double std = std::sqrt((y.array() - y.mean()).square().mean());
  if (kind >= 0.5 || !(std > 0)) return;
  const double mean = y.mean(), spread = 0.3 + 0.9 * size;
  const double grid = std * (0.1 + 0.9 * size);
  for (Vector* targets : {&y, &y_test}) {
    for (double& value : *targets) {
      if (kind < 0.2) {
        value = std::exp(spread * std::clamp((value - mean) / std, -4.0, 4.0));
      } else if (kind < 0.35) {
        value = grid * std::round(value / grid);
      } else if (random.Uniform() < 0.05) {
        value += 3 * std * size * random.Normal();
      }
    }
  }
}

// Some rows of a real table, others held out, and a kernel drawn for its columns.
Simulated CutOut(const Dataset& table, const TableOptions& options, RandomStream random) {
  const int rows = table.rows(), held_out = std::min(kHeldOutRows, rows / 3);
  const int most = std::min(options.max_n, rows - held_out), least = std::min(options.min_n, most);
  const int n = static_cast<int>(std::lround(least * std::pow(static_cast<double>(most) / least, random.Uniform())));
  std::vector<int> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  for (int i = 0; i < n + held_out; ++i) {
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.UniformInt(i, rows - 1))]);
  }
  const std::vector<int> learn(order.begin(), order.begin() + n), test(order.begin() + n, order.begin() + n + held_out);
  Simulated cut;
  cut.X = table.X(learn, Eigen::all);
  cut.y = table.y(learn);
  cut.X_test = table.X(test, Eigen::all);
  cut.y_test = table.y(test);
  cut.given = DrawTableStructure(options, table.columns(), random);
  return cut;
}

Lesson DrawLesson(const TrainedNetwork& network, const TrainingConfig& config, const StepTrainingOptions& options,
                  ComponentKind component, std::uint64_t seed, std::uint64_t index) {
  Simulated drawn;
  RandomStream random(seed, index, kLessonStream);
  if (component == ComponentKind::kPaper) {
    SimulationOptions simulation = config.Simulation();
    simulation.n_test = kHeldOutRows;
    drawn = Simulate(simulation, seed, index);
  } else if (!options.tables.empty() && random.Uniform() < options.tables_share) {
    const int which = random.UniformInt(0, static_cast<int>(options.tables.size()) - 1);
    drawn = CutOut(options.tables[static_cast<std::size_t>(which)], config.Tables(), random);
  } else {
    TableOptions simulation = config.Tables();
    simulation.n_test = kHeldOutRows;
    drawn = SimulateTable(simulation, seed, index);
    MakeUnGaussian(random, drawn.y, drawn.y_test);
  }
  Lesson lesson{network.Encode(Dataset::Of(drawn.X, drawn.y)), drawn.given, {}, {}};
  lesson.X_test = lesson.encoding.scaler.ScaleX(drawn.X_test);
  lesson.y_test = lesson.encoding.scaler.ScaleY(drawn.y_test);
  return lesson;
}

// One dataset's gradient by the weights; false where it cannot be had.
bool AddGradient(const TrainedNetwork& network, const Lesson& lesson, const StepWeights& steps, double clip,
                 std::vector<float>& gradient) {
  const Matrix& X = lesson.encoding.X;
  const Vector& y = lesson.encoding.y;
  const OneShot found = InferOneShot(network, lesson.encoding, lesson.structure, {.steps = &steps});
  if (found.reading.size() == 0 || found.curvature.size() == 0) return false;
  const Covariance covariance(ToExpression(lesson.structure));
  const LogParameters& theta = found.posterior.theta();
  Vector v;
  const double loss = HeldOutLoss(covariance, X, y, lesson.X_test, lesson.y_test, theta, &v);
  if (!std::isfinite(loss) || !v.allFinite()) return false;

  // The curvature holds the pull; along the scale there is none, and nothing moves there.
  const Vector unit = ScaleDirection(covariance.expression()).normalized();
  Matrix M = static_cast<double>(y.size()) * found.curvature;
  M += 0.1 * unit * unit.transpose();
  M.diagonal().array() += 1e-3;
  Vector u = M.ldlt().solve(v);
  u -= unit.dot(u) * unit;
  Vector r = theta - found.pull.centre;
  r -= unit.dot(r) * unit;
  const Vector pulled = found.pull.precision.cwiseProduct(u);

  StepTrace<float> trace;
  const StepMatrix<float> answers = StepForward(steps.hidden, steps.values.data(), found.reading, trace);
  StepMatrix<float> slopes = AnswerSlopes(answers, -pulled.cwiseProduct(r), pulled);
  const double norm = slopes.norm();
  if (!std::isfinite(norm)) return false;
  if (norm > clip) slopes *= static_cast<float>(clip / norm);
  StepBackward(steps.hidden, steps.values.data(), found.reading, trace, slopes, gradient.data());
  return true;
}

double LossAtTheAnswer(const TrainedNetwork& network, const Lesson& lesson, const StepWeights& steps) {
  const OneShot found = InferOneShot(network, lesson.encoding, lesson.structure, {.steps = &steps});
  const Covariance covariance(ToExpression(lesson.structure));
  return std::min(kMostLoss, HeldOutLoss(covariance, lesson.encoding.X, lesson.encoding.y, lesson.X_test, lesson.y_test,
                                         found.posterior.theta(), nullptr));
}

class StepValidator {
 public:
  StepValidator(const TrainedNetwork& network, const TrainingConfig& config, const StepTrainingOptions& options,
                ThreadPool& pool)
      : network_(network), pool_(pool), lessons_(static_cast<std::size_t>(options.validation_datasets)) {
    pool_.Run(options.validation_datasets, [&](int i, int) {
      const ComponentKind component = KindOf(i);
      const bool paper = component == ComponentKind::kPaper;
      if (!paper && config.Find(ComponentKind::kTables) == nullptr) return;
      const std::uint64_t seed = paper ? config.validation.seed : config.validation.tables_seed;
      lessons_[static_cast<std::size_t>(i)] =
          DrawLesson(network_, config, options, component, seed, static_cast<std::uint64_t>(i));
    });
    constant_ = Losses({});
  }

  StepValidation Evaluate(const StepWeights& steps, std::int64_t datasets) {
    const std::vector<double> losses = Losses(steps);
    StepValidation report;
    report.datasets = datasets;
    int paper = 0, tables = 0;
    for (std::size_t i = 0; i < losses.size(); ++i) {
      if (!std::isfinite(losses[i]) || !std::isfinite(constant_[i])) continue;
      const bool of_paper = KindOf(static_cast<int>(i)) == ComponentKind::kPaper;
      (of_paper ? report.paper : report.tables) += losses[i];
      (of_paper ? report.paper_constant : report.tables_constant) += constant_[i];
      ++(of_paper ? paper : tables);
    }
    for (double* sum : {&report.paper, &report.paper_constant}) *sum /= std::max(paper, 1);
    for (double* sum : {&report.tables, &report.tables_constant}) *sum /= std::max(tables, 1);
    return report;
  }

 private:
  static ComponentKind KindOf(int i) { return i % 2 == 0 ? ComponentKind::kPaper : ComponentKind::kTables; }

  std::vector<double> Losses(const StepWeights& steps) {
    std::vector<double> losses(lessons_.size(), std::numeric_limits<double>::quiet_NaN());
    pool_.Run(static_cast<int>(losses.size()), [&](int i, int) {
      const auto& lesson = lessons_[static_cast<std::size_t>(i)];
      if (!lesson) return;
      try {
        losses[static_cast<std::size_t>(i)] = LossAtTheAnswer(network_, *lesson, steps);
      } catch (const Error&) {  // no factorisation
      }
    });
    return losses;
  }

  const TrainedNetwork& network_;
  ThreadPool& pool_;
  std::vector<std::optional<Lesson>> lessons_;
  std::vector<double> constant_;
};

}  // namespace

double HeldOutLoss(const Covariance& covariance, const Matrix& X, const Vector& y, const Matrix& X_test,
                   const Vector& y_test, const LogParameters& theta, Vector* gradient) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const Index n = X.rows(), m = X_test.rows();
  std::optional<Posterior> posterior;
  try {
    posterior.emplace(covariance.expression(), X, y, theta);
  } catch (const Error&) {  // no factorisation
    return kNaN;
  }
  const Vector& alpha = posterior->alpha();
  CovarianceScratch scratch;
  Matrix K_test(n, m);
  covariance.Cross(X, X_test, theta.data(), K_test, scratch);
  const auto L = posterior->L().triangularView<Eigen::Lower>();
  Matrix W = L.solve(K_test);
  Vector variance(m);
  covariance.Diagonal(X_test, theta.data(), variance);
  const double noise = std::exp(theta.noise());
  variance.array() += noise - W.colwise().squaredNorm().transpose().array();
  if (!(variance.minCoeff() > 0)) return kNaN;
  const Vector error = y_test - K_test.transpose() * alpha;
  const double loss = 0.5 * (error.array().square() / variance.array() + variance.array().log()).mean() +
                      0.5 * std::log(2 * std::numbers::pi);
  if (gradient == nullptr) return loss;

  // With w_i = A^-1 k_i, mean_i = k_i^T alpha and variance_i = k_ii + noise - k_i^T w_i:
  //   d mean_i = dk_i^T alpha - w_i^T dA alpha,   d variance_i = dk_ii + dnoise - 2 dk_i^T w_i + w_i^T dA w_i
  L.adjoint().solveInPlace(W);
  const Vector by_mean = -error.cwiseQuotient(variance) / static_cast<double>(m);
  const Vector by_variance =
      0.5 * (variance.cwiseInverse().array() - (error.array() / variance.array()).square()) / static_cast<double>(m);
  const Matrix G_cross = alpha * by_mean.transpose() - 2 * W * by_variance.asDiagonal();
  Matrix G = W * by_variance.asDiagonal() * W.transpose();
  const Vector weighed = W * by_mean;
  G -= 0.5 * (weighed * alpha.transpose() + alpha * weighed.transpose());
  const double trace = G.trace();
  G.triangularView<Eigen::StrictlyLower>() = 2 * G;
  gradient->setZero(theta.size());
  covariance.Contract(X, theta.data(), G, gradient->data(), scratch);
  Matrix unused = Matrix::Zero(m, X.cols());
  covariance.ContractCross(X, X_test, theta.data(), G_cross, gradient->data(), unused, scratch);
  covariance.ContractDiagonal(X_test, theta.data(), by_variance, gradient->data());
  (*gradient)[theta.kernel_size()] = noise * (trace + by_variance.sum());

  // The scale c follows theta: d log c / d theta is what a weight on log c adds to a gradient.
  NlmlWorkspace workspace;
  Vector with, without;
  const ClosedFormScale weighed_scale{.log_scale_weight = 1}, plain;
  if (!NegativeLogMarginalLikelihood(covariance, X, y, theta, &with, workspace, &weighed_scale).ok ||
      !NegativeLogMarginalLikelihood(covariance, X, y, theta, &without, workspace, &plain).ok) {
    return kNaN;
  }
  const LogParameters direction = ScaleDirection(covariance.expression());
  *gradient += direction.dot(*gradient) * (with - without);
  const Vector unit = direction.normalized();
  *gradient -= unit.dot(*gradient) * unit;
  return loss;
}

StepTraining TrainSteps(const TrainedNetwork& network, const TrainingConfig& config,
                        const StepTrainingOptions& options) {
  ThreadPool pool(ResolveThreads(options.threads));
  StepValidator validator(network, config, options, pool);
  StepTraining training;
  StepWeights steps = FirstStepWeights(options.hidden, config.seed);
  const std::size_t size = steps.values.size();
  std::vector<float> moment1(size, 0.0f), moment2(size, 0.0f), average = steps.values, gradient(size);
  const auto averaged = [&](std::int64_t seen) { return StepWeights{options.hidden, average, seen}; };

  const auto batch = static_cast<std::size_t>(config.batch);
  std::vector<std::vector<float>> own(batch, std::vector<float>(size));
  std::vector<char> used(batch);
  std::int64_t seen = 0, step = 0, next_validation = options.validate_every;
  while (seen < config.datasets && !training.interrupted) {
    pool.Run(config.batch, [&](int k, int) {
      const auto place = static_cast<std::size_t>(k);
      std::fill(own[place].begin(), own[place].end(), 0.0f);
      const auto index = static_cast<std::uint64_t>(seen + k);
      try {
        const Lesson lesson = DrawLesson(network, config, options, ComponentOf(config, index), config.seed, index);
        used[place] = AddGradient(network, lesson, steps, config.loss.output_clip, own[place]);
      } catch (const Error&) {  // no draw, or no factorisation
        used[place] = 0;
      }
    });
    std::fill(gradient.begin(), gradient.end(), 0.0f);
    int count = 0;
    double norm = 0;
    for (std::size_t k = 0; k < batch; ++k) {
      if (!used[k]) continue;
      ++count;
      for (std::size_t i = 0; i < size; ++i) gradient[i] += own[k][i];
    }
    seen += config.batch;
    if (count > 0) {
      for (const float g : gradient) norm += static_cast<double>(g) * g;
      const double mean = 1.0 / count;
      ++step;
      const double progress = static_cast<double>(seen) / static_cast<double>(config.datasets);
      const double rate = LearningRate(config.schedule, step, progress);
      const double scale = mean * ClipFactor(std::sqrt(norm) * mean, config.optimizer.clip_norm);
      UpdateWeights(CoefficientsOf(config.optimizer, step, rate, scale), 0, size, gradient.data(), steps.values.data(),
                    moment1.data(), moment2.data(), average.data());
    }
    if (options.on_step) options.on_step(seen);
    training.interrupted = options.stop.stop_requested();
    if (seen >= next_validation || seen >= config.datasets || training.interrupted) {
      next_validation = seen + options.validate_every;
      training.validations.push_back(validator.Evaluate(averaged(seen), seen));
      if (options.on_validation) options.on_validation(training.validations.back());
    }
  }
  training.weights = averaged(seen);
  return training;
}

}  // namespace instantgp
