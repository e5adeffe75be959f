#include "instantgp/model/prediction.h"

#include "instantgp/base/normal.h"
#include "instantgp/base/representable.h"

namespace instantgp {

Prediction Prediction::Of(const Scaler& scaler, const Vector& scaled_mean, const Vector& scaled_std) {
  Prediction prediction;
  prediction.mean = scaler.UnscaleMean(scaled_mean);
  prediction.std = scaler.UnscaleStd(scaled_std);
  if (scaler.transform.none()) return prediction;
  prediction.transform = scaler.transform;
  prediction.transformed_mean = prediction.mean;
  prediction.transformed_std = prediction.std;
  for (Index i = 0; i < prediction.mean.size(); ++i) {
    const double m = prediction.transformed_mean[i], s = prediction.transformed_std[i];
    prediction.mean[i] = Representable(scaler.transform.MeanOf(m, s));
    prediction.std[i] = Representable(scaler.transform.StdOf(m, s));
  }
  return prediction;
}

Vector Prediction::At(double z) const {
  if (transform.none()) return (mean + z * std).unaryExpr([](double y) { return Representable(y); });
  return (transformed_mean + z * transformed_std).unaryExpr([this](double g) { return transform.Inverse(g); });
}

Vector Prediction::Median() const { return transform.none() ? mean : At(0); }
Vector Prediction::Quantile(double probability) const { return At(NormalQuantile(probability)); }
Vector Prediction::Lower(double probability) const { return At(-NormalQuantile(0.5 + probability / 2)); }
Vector Prediction::Upper(double probability) const { return At(NormalQuantile(0.5 + probability / 2)); }

}  // namespace instantgp
