// Layer norm, activations, means, concatenation, features, outputs: values and gradients.
#include <gtest/gtest.h>

#include <numbers>
#include <numeric>

#include "instantgp/kernel/parameters.h"
#include "instantgp/network/ops/activation.h"
#include "instantgp/network/ops/aggregate.h"
#include "instantgp/network/ops/features.h"
#include "instantgp/network/ops/layer_norm.h"
#include "instantgp/network/ops/outputs.h"
#include "tests/network/naive_ops.h"
#include "tests/support/gradient_check.h"

namespace instantgp {
namespace {

using testing::Cast;
using testing::Difference;
using testing::RandomValues;
using testing::ToVector;
using testing::Values;

double Contract(const Values& G, const Values& y) { return std::inner_product(G.begin(), G.end(), y.begin(), 0.0); }

TEST(LayerNorm, EqualsTheFormula) {
  RandomStream random(1);
  for (int width = 1; width <= 70; ++width) {
    const int m = random.UniformInt(1, 11);
    const Values x = RandomValues(random, m * width, 3), gain = RandomValues(random, width),
                 bias = RandomValues(random, width);
    Values expected(x.size());
    for (int i = 0; i < m; ++i) {
      double mean = 0, variance = 0;
      for (int j = 0; j < width; ++j) mean += x[i * width + j] / width;
      for (int j = 0; j < width; ++j) variance += std::pow(x[i * width + j] - mean, 2) / width;
      for (int j = 0; j < width; ++j) {
        expected[i * width + j] = gain[j] * (x[i * width + j] - mean) / std::sqrt(variance + 1e-5) + bias[j];
      }
    }
    Values y(x.size());
    LayerNormForward<double>(m, width, x.data(), gain.data(), bias.data(), y.data(), nullptr, nullptr);
    EXPECT_LE(Difference(y, expected), 1e-13) << width;
    auto in_place = Cast<float>(x);
    const auto g = Cast<float>(gain), b = Cast<float>(bias);
    std::vector<float> hat(x.size()), rstd(m);
    LayerNormForward<float>(m, width, in_place.data(), g.data(), b.data(), in_place.data(), hat.data(), rstd.data());
    EXPECT_LE(Difference(in_place, expected), 1e-5) << width;
  }
}

TEST(LayerNorm, Gradient) {
  RandomStream random(2);
  for (int width : {2, 3, 4, 5, 8, 11, 16}) {
    for (int m = 1; m <= 6; ++m) {
      // x, gain, bias in one array
      const Values all = RandomValues(random, m * width + 2 * width), G = RandomValues(random, m * width);
      const std::size_t gain = m * width, bias = gain + width;
      Values y(G.size()), hat(G.size()), rstd(m);
      const auto f = [&](const Vector& v) {
        LayerNormForward<double>(m, width, v.data(), v.data() + gain, v.data() + bias, y.data(), hat.data(),
                                 rstd.data());
        return Contract(G, y);
      };
      f(ToVector(all));
      Values gradient(all.size(), 0.0);
      LayerNormBackward<double>(m, width, hat.data(), rstd.data(), all.data() + gain, G.data(), gradient.data(), true,
                                gradient.data() + gain, gradient.data() + bias);
      testing::ExpectGradient(f, ToVector(all), ToVector(gradient));
    }
  }
}

TEST(Activation, GeluEqualsTheFormulaForBothScalars) {
  Values x;
  for (double v = -12; v <= 12; v += 0.01) x.push_back(v);
  Values y(x.size()), expected;
  for (double v : x) expected.push_back(v * 0.5 * std::erfc(-v / std::numbers::sqrt2));
  GeluForward<double>(x.size(), x.data(), y.data());
  EXPECT_LE(Difference(y, expected), 1e-14);
  const auto narrow = Cast<float>(x);
  std::vector<float> single(x.size()), slope(x.size(), 1.0f);
  GeluForward<float>(x.size(), narrow.data(), single.data());
  GeluBackward<float>(x.size(), narrow.data(), slope.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = narrow[i], exact = v * 0.5 * std::erfc(-v / std::numbers::sqrt2);
    EXPECT_NEAR(single[i], exact, 1e-6 * std::max(1.0, std::abs(v))) << v;
    const double density = std::exp(-0.5 * v * v) / std::sqrt(2 * std::numbers::pi);
    EXPECT_NEAR(slope[i], 0.5 * std::erfc(-v / std::numbers::sqrt2) + v * density, 2e-6) << v;
  }
}

TEST(Activation, Gradients) {
  RandomStream random(3);
  for (int count : {1, 7, 8, 9, 40}) {
    const Values x = RandomValues(random, count, 2), G = RandomValues(random, count);
    Values gradient = G;
    GeluBackward<double>(x.size(), x.data(), gradient.data());
    const auto gelu = [&](const Vector& v) {
      Values y(v.data(), v.data() + v.size());
      GeluForward<double>(y.size(), y.data(), y.data());
      return Contract(G, y);
    };
    testing::ExpectGradient(gelu, ToVector(x), ToVector(gradient));
    Values y = x;
    ReluForward<double>(y.size(), y.data());
    gradient = G;
    ReluBackward<double>(y.size(), y.data(), gradient.data());
    const auto relu = [&](const Vector& v) {
      Values out(v.data(), v.data() + v.size());
      ReluForward<double>(out.size(), out.data());
      return Contract(G, out);
    };
    testing::ExpectGradient(relu, ToVector(x), ToVector(gradient), 1e-6, 1e-6);
  }
}

TEST(Aggregate, GradientsOfMeansAndConcatenation) {
  RandomStream random(4);
  for (int repeat = 0; repeat < 10; ++repeat) {
    const int n = random.UniformInt(1, 6), d = random.UniformInt(1, 4), w = random.UniformInt(1, 5);
    const int pw = random.UniformInt(1, 5);
    std::vector<int> begin = {0};
    while (begin.back() < n * d) begin.push_back(std::min(n * d, begin.back() + random.UniformInt(1, 5)));
    const Segments segments{begin.data(), static_cast<int>(begin.size()) - 1};
    const Values x = RandomValues(random, n * d * w);

    Values G = RandomValues(random, segments.count * w), y(G.size()), gradient(x.size(), 0.0);
    SegmentMeanBackward<double>(segments, w, G.data(), gradient.data());
    const auto segment_mean = [&](const Vector& v) {
      SegmentMeanForward<double>(segments, w, v.data(), y.data());
      return Contract(G, y);
    };
    testing::ExpectGradient(segment_mean, ToVector(x), ToVector(gradient));

    G = RandomValues(random, n * w);
    y.assign(G.size(), 0);
    gradient.assign(x.size(), 0);
    PointMeanBackward<double>(n, d, w, G.data(), gradient.data());
    const auto point_mean = [&](const Vector& v) {
      PointMeanForward<double>(n, d, w, v.data(), y.data());
      return Contract(G, y);
    };
    testing::ExpectGradient(point_mean, ToVector(x), ToVector(gradient));

    // points (n, pw) and x (d n, w) in one array
    const Values all = RandomValues(random, n * pw + n * d * w);
    G = RandomValues(random, n * d * (pw + w));
    y.assign(G.size(), 0);
    gradient.assign(all.size(), 0);
    ConcatBackward<double>(n, d, pw, w, G.data(), gradient.data(), gradient.data() + n * pw);
    const auto concat = [&](const Vector& v) {
      ConcatForward<double>(n, d, pw, w, v.data(), v.data() + n * pw, y.data());
      return Contract(G, y);
    };
    testing::ExpectGradient(concat, ToVector(all), ToVector(gradient));
  }
}

TEST(Features, AreTheRawValuesAndFourierPairs) {
  RandomStream random(5);
  const std::vector<double> fourier = {0.5, 1, 3, 11, 32, 200};
  for (int n : {1, 5, 16, 33}) {
    for (int d = 1; d <= 3; ++d) {
      Matrix X(n, d);
      Vector y(n);
      for (Index k = 0; k < X.size(); ++k) X.data()[k] = random.Uniform(-0.1, 1.1);
      for (Index k = 0; k < n; ++k) y[k] = random.Normal();
      Values expected;
      for (int i = 0; i < d; ++i) {
        for (int j = 0; j < n; ++j) {
          expected.push_back(X(j, i));
          expected.push_back(y(j) / 1.7);
          for (double f : fourier) expected.push_back(std::sin(std::numbers::pi * f * X(j, i)));
          for (double f : fourier) expected.push_back(std::cos(std::numbers::pi * f * X(j, i)));
        }
      }
      std::vector<float> single(expected.size());
      Values twice(expected.size());
      Arena arena;
      TokenFeatures<float>(X, y, 1.7, fourier, arena, single.data());
      TokenFeatures<double>(X, y, 1.7, fourier, arena, twice.data());
      EXPECT_LE(Difference(single, expected), 1e-6);
      EXPECT_LE(Difference(twice, expected), 1e-12);
    }
  }
  EXPECT_DOUBLE_EQ(RootMeanSquare(Vector{{3, -4}}), std::sqrt(12.5));
  EXPECT_EQ(RootMeanSquare(Vector::Zero(4)), 1);
}

constexpr ParameterKind kKinds[] = {ParameterKind::kVariance, ParameterKind::kLengthscale, ParameterKind::kPeriod,
                                    ParameterKind::kOffset};

TEST(Outputs, SlopesAreDerivativesAndExtremesStayFinite) {
  for (OutputTransform transform : {OutputTransform::kLog, OutputTransform::kSoftplus}) {
    for (double raw : {-1e6, -800.0, -100.0, -30.5, -29.5, -3.0, 0.0, 0.7, 5.0, 29.5, 30.5, 700.0, 1e6}) {
      const auto check = [&](const std::function<Output(double)>& f) {
        const Output out = f(raw);
        ASSERT_TRUE(std::isfinite(out.log_value) && std::isfinite(out.slope)) << raw;
        EXPECT_GE(out.slope, 0);
        if (out.slope < 1e-6) return;  // flat: a difference quotient would be all rounding
        testing::ExpectGradient([&](const Vector& v) { return f(v[0]).log_value; }, Vector::Constant(1, raw),
                                Vector::Constant(1, out.slope), 1e-6, std::max(1e-3, std::abs(raw) * 1e-6));
      };
      for (ParameterKind kind : kKinds) check([&](double r) { return TransformParameter(transform, kind, 0.3, r); });
      check([&](double r) { return TransformNoise(transform, 1e-4, r); });
    }
  }
}

TEST(Outputs, FollowThePaperForSoftplus) {
  const auto softplus = [](double raw) { return std::log1p(std::exp(raw)); };
  for (double raw : {-3.0, 0.0, 2.0}) {
    const auto value = [&](ParameterKind kind) {
      return std::exp(TransformParameter(OutputTransform::kSoftplus, kind, 0, raw).log_value);
    };
    EXPECT_NEAR(value(ParameterKind::kVariance), softplus(raw) * softplus(raw),
                1e-14);  // the network speaks of a deviation
    EXPECT_NEAR(value(ParameterKind::kLengthscale), softplus(raw), 1e-14);
    EXPECT_NEAR(value(ParameterKind::kPeriod), softplus(raw), 1e-14);
    EXPECT_NEAR(value(ParameterKind::kOffset), softplus(raw), 1e-14);
    EXPECT_NEAR(std::exp(TransformNoise(OutputTransform::kSoftplus, 4e-4, raw).log_value), softplus(raw) + 4e-4, 1e-14);
  }
}

TEST(Outputs, StartAtThePriorsCentre) {
  RandomStream random(6);
  for (ParameterKind kind : kKinds) {
    const GammaPrior prior = PriorOf(kind);
    double mean = 0;
    for (int k = 0; k < 20000; ++k) mean += std::log(random.Gamma(prior.shape, prior.rate)) / 20000;
    EXPECT_NEAR(PriorCentre(kind), mean, 0.03);
    for (OutputTransform transform : {OutputTransform::kLog, OutputTransform::kSoftplus}) {
      const double raw = RawAtCentre(transform, kind);
      EXPECT_NEAR(TransformParameter(transform, kind, PriorCentre(kind), raw).log_value, PriorCentre(kind), 1e-12);
    }
  }
}

}  // namespace
}  // namespace instantgp
