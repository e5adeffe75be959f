// Summaries of many results.
#pragma once

#include <vector>

namespace instantgp {

double Mean(const std::vector<double>& values);
// Of positive values; NaN without values.
double GeometricMean(const std::vector<double>& values);
double StandardDeviation(const std::vector<double>& values);  // of a sample: divides by n - 1; 0 for one value

// The fraction q in [0, 1] of the values lies below; linear interpolation between order statistics, as numpy does.
// NaN without values.
double Quantile(std::vector<double> values, double q);
double Median(std::vector<double> values);

// Two samples, equal variances not assumed to be known but to be equal (Student's test, pooled variance).
struct TTest {
  double t = 0;  // negative when the first mean is smaller
  double degrees_of_freedom = 0;
  double p_two_sided = 1;
  double p_smaller = 1;  // one-sided: against "the first mean is smaller"
};
// At least two values each; equal constant samples give t = 0, different ones a t of infinite size.
TTest TwoSampleTTest(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace instantgp
