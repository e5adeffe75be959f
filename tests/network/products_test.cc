// Matrix products, linear layers and attention: against plain loops, and their gradients.
#include <gtest/gtest.h>

#include "instantgp/network/ops/attention.h"
#include "instantgp/network/ops/linear.h"
#include "tests/network/naive_ops.h"
#include "tests/support/gradient_check.h"

namespace instantgp {
namespace {

using testing::AttentionByLoops;
using testing::Cast;
using testing::Difference;
using testing::NaiveProduct;
using testing::NaiveTranspose;
using testing::RandomValues;
using testing::ToVector;
using testing::Values;

// The sum over both scalar types of one check.
template <typename Check>
void ForBothScalars(Check&& check) {
  check(float{}, 1e-5);
  check(double{}, 1e-13);
}

struct Shape {
  int m, n, k;
};

// Every size up to past a register tile and a panel, random larger ones, and weights large enough for OpenBLAS.
std::vector<Shape> Shapes() {
  std::vector<Shape> shapes;
  for (int m = 1; m <= 7; ++m) {
    for (int n : {1, 2, 7, 8, 15, 16, 17, 33}) {
      for (int k : {1, 3, 8, 9, 32}) shapes.push_back({m, n, k});
    }
  }
  RandomStream random(1);
  for (int i = 0; i < 60; ++i) {
    shapes.push_back({random.UniformInt(1, 300), random.UniformInt(1, 100), random.UniformInt(1, 150)});
  }
  shapes.push_back({13, 300, 301});
  return shapes;
}

TEST(MatMul, EqualsPlainLoopsWithEveryEpilogue) {
  RandomStream random(2);
  for (const Shape& shape : Shapes()) {
    const int m = shape.m, n = shape.n, k = shape.k;  // copied: clang 14 captures no bindings
    const Values A = RandomValues(random, m * k), B = RandomValues(random, k * n), start = RandomValues(random, m * n),
                 bias = RandomValues(random, n);
    const Values product = NaiveProduct(m, n, k, A, B);
    for (int options = 0; options < 8; ++options) {
      const bool accumulate = options & 1, with_bias = options & 2, relu = options & 4;
      Values expected = product;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        expected[i] += (accumulate ? start[i] : 0) + (with_bias ? bias[i % n] : 0);
        if (relu) expected[i] = std::max(0.0, expected[i]);
      }
      ForBothScalars([&](auto scalar, double tolerance) {
        using T = decltype(scalar);
        const auto a = Cast<T>(A), b = Cast<T>(B), s = Cast<T>(bias);
        auto c = Cast<T>(start);
        Arena arena;
        T* scratch = arena.New<T>(MatMulScratch<T>(n, k));
        MatMul<T>(m, n, k, a.data(), k, b.data(), n, c.data(), n, {with_bias ? s.data() : nullptr, accumulate, relu},
                  scratch);
        EXPECT_LE(Difference(c, expected), tolerance) << m << " " << n << " " << k << " options " << options;
      });
    }
  }
}

TEST(MatMul, TransposedFormsEqualPlainLoops) {
  RandomStream random(3);
  for (const Shape& shape : Shapes()) {
    const int m = shape.m, n = shape.n, k = shape.k;  // copied: clang 14 captures no bindings
    const Values A = RandomValues(random, m * n), B = RandomValues(random, k * n), X = RandomValues(random, m * k);
    const Values start = RandomValues(random, m * k), weights = RandomValues(random, k * n);
    Values expected_b = NaiveProduct(m, k, n, A, NaiveTranspose(k, n, B));
    Values expected_a = NaiveProduct(k, n, m, NaiveTranspose(m, k, X), A);
    for (std::size_t i = 0; i < expected_a.size(); ++i) expected_a[i] += weights[i];
    for (bool accumulate : {false, true}) {
      if (accumulate) {
        for (std::size_t i = 0; i < expected_b.size(); ++i) expected_b[i] += start[i];
      }
      ForBothScalars([&](auto scalar, double tolerance) {
        using T = decltype(scalar);
        const auto a = Cast<T>(A), b = Cast<T>(B), x = Cast<T>(X);
        auto c = Cast<T>(start), w = Cast<T>(weights);
        Arena arena;
        T* scratch = arena.New<T>(MatMulScratch<T>(k, n));
        MatMulTransposedB<T>(m, n, k, a.data(), n, b.data(), n, c.data(), k, accumulate, scratch);
        EXPECT_LE(Difference(c, expected_b), tolerance) << m << " " << n << " " << k;
        MatMulTransposedA<T>(m, n, k, x.data(), k, a.data(), n, w.data(), n);
        EXPECT_LE(Difference(w, expected_a), tolerance) << m << " " << n << " " << k;
      });
    }
  }
}

// f(values) = sum of G * forward(values), for a fixed random G: the loss of every gradient check below.
double Contract(const Values& G, const double* y) {
  double sum = 0;
  for (std::size_t i = 0; i < G.size(); ++i) sum += G[i] * y[i];
  return sum;
}

TEST(Linear, Gradient) {
  RandomStream random(4);
  for (bool has_bias : {false, true}) {
    for (int repeat = 0; repeat < 10; ++repeat) {
      const int m = random.UniformInt(1, 9), in = random.UniformInt(1, 9), out = random.UniformInt(1, 19);
      // All variables in one array: weights, bias, input.
      LinearLayout linear{in, out, 0, has_bias ? static_cast<std::size_t>(in) * out : kNoWeight};
      const std::size_t weights = static_cast<std::size_t>(in) * out + (has_bias ? out : 0);
      const Values all = RandomValues(random, weights + m * in), G = RandomValues(random, m * out);
      Arena arena;
      const auto f = [&](const Vector& v) {
        Values y(m * out);
        LinearForward<double>(linear, v.data(), m, v.data() + weights, y.data(), arena);
        return Contract(G, y.data());
      };
      Values gradient(all.size(), 0.0);
      LinearBackward<double>(linear, all.data(), m, all.data() + weights, G.data(), gradient.data() + weights, false,
                             arena, gradient.data());
      testing::ExpectGradient(f, ToVector(all), ToVector(gradient));
    }
  }
}

TEST(Mlp, Gradient) {
  RandomStream random(5);
  for (int layers = 1; layers <= 4; ++layers) {
    const int m = 3;
    MlpLayout mlp;
    std::size_t weights = 0;
    for (int i = 0, in = 4; i < layers; ++i) {
      const int out = random.UniformInt(2, 7);
      LinearLayout linear{in, out, weights, weights + static_cast<std::size_t>(in) * out};
      weights = linear.bias + out;
      mlp.layers.push_back(linear);
      in = out;
    }
    const Values all = RandomValues(random, weights + m * mlp.in());
    const Values G = RandomValues(random, m * mlp.out());
    Arena arena;
    double* hidden[kMaxMlpLayers];
    const auto f = [&](const Vector& v) {
      arena.Reset();
      return Contract(G, MlpForward<double>(mlp, v.data(), m, v.data() + weights, arena, hidden));
    };
    f(ToVector(all));
    Values gradient(all.size(), 0.0), dy = G;
    MlpBackward<double>(mlp, all.data(), m, all.data() + weights, hidden, dy.data(), gradient.data() + weights, arena,
                        gradient.data());
    testing::ExpectGradient(f, ToVector(all), ToVector(gradient), 1e-6, 1e-5);
  }
}

struct AttentionCase {
  std::vector<int> begin;
  int heads, channels;
  double scale;  // of queries, keys and values
  int tokens() const { return begin.back(); }
  int width() const { return heads * channels; }
};

std::vector<AttentionCase> AttentionCases() {
  std::vector<AttentionCase> cases;
  RandomStream random(6);
  // Every length across several tiles and panels, alone; then ragged mixtures.
  for (int n = 1; n <= 70; ++n) cases.push_back({{0, n}, 1 + n % 3, n % 2 == 0 ? 8 : 16, 1});
  for (int channels : {1, 2, 3, 4, 5, 8, 12, 16, 20, 32, 64, 128}) {
    for (double scale : {0.1, 1.0, 30.0}) {  // 30: scores in the thousands, beyond what an exponential can hold
      AttentionCase c{{0}, random.UniformInt(1, 4), channels, scale};
      for (int s = 0; s < 6; ++s) c.begin.push_back(c.begin.back() + random.UniformInt(1, 45));
      cases.push_back(c);
    }
  }
  cases.push_back({{0, 250, 500}, 4, 8, 1});
  return cases;
}

TEST(Attention, EqualsPlainLoops) {
  RandomStream random(7);
  for (const AttentionCase& c : AttentionCases()) {
    const Values qkv = RandomValues(random, c.tokens() * 3 * c.width(), c.scale);
    const Values dO = RandomValues(random, c.tokens() * c.width());
    const Segments segments{c.begin.data(), static_cast<int>(c.begin.size()) - 1};
    ForBothScalars([&](auto scalar, double tolerance) {
      using T = decltype(scalar);
      const auto in = Cast<T>(qkv), dout = Cast<T>(dO);
      // The loops see the same rounded numbers: at scores in the thousands the rounding of the input alone is felt.
      const auto naive =
          AttentionByLoops(c.begin, c.width(), c.heads, Values(in.begin(), in.end()), Values(dout.begin(), dout.end()));
      std::vector<T> o(dO.size()), lse(c.heads * c.tokens()), dqkv(qkv.size());
      Arena arena;
      AttentionForward<T>(segments, c.width(), c.heads, in.data(), o.data(), lse.data(), arena);
      AttentionBackward<T>(segments, c.width(), c.heads, in.data(), o.data(), lse.data(), dout.data(), dqkv.data(),
                           arena);
      // A score s carries a rounding error of about |s| eps, which the exponential makes relative.
      const double loose = c.scale > 1 ? tolerance * c.scale * c.scale : tolerance;
      EXPECT_LE(Difference(o, naive.o), loose) << c.tokens() << " tokens, " << c.channels << " channels";
      EXPECT_LE(Difference(dqkv, naive.dqkv), loose) << c.tokens() << " tokens, " << c.channels << " channels";
    });
  }
}

TEST(Attention, Gradient) {
  RandomStream random(8);
  for (int repeat = 0; repeat < 12; ++repeat) {
    AttentionCase c{{0}, random.UniformInt(1, 3), random.UniformInt(1, 9), 1};
    for (int s = 0; s < 3; ++s) c.begin.push_back(c.begin.back() + random.UniformInt(1, 8));
    const Values qkv = RandomValues(random, c.tokens() * 3 * c.width()),
                 G = RandomValues(random, c.tokens() * c.width());
    const Segments segments{c.begin.data(), static_cast<int>(c.begin.size()) - 1};
    Arena arena;
    Values o(G.size()), lse(c.heads * c.tokens()), gradient(qkv.size());
    const auto f = [&](const Vector& v) {
      AttentionForward<double>(segments, c.width(), c.heads, v.data(), o.data(), lse.data(), arena);
      return Contract(G, o.data());
    };
    f(ToVector(qkv));
    AttentionBackward<double>(segments, c.width(), c.heads, qkv.data(), o.data(), lse.data(), G.data(), gradient.data(),
                              arena);
    testing::ExpectGradient(f, ToVector(qkv), ToVector(gradient));
  }
}

}  // namespace
}  // namespace instantgp
