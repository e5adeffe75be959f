// Ensemble files: model files within a file, each with a checksum of its own.
#include "instantgp/model/ensemble.h"
#include "tests/fuzz/door.h"
#include "tests/fuzz/mend.h"

namespace instantgp::fuzz {
namespace {

void AskEnsemble(const Ensemble& ensemble) {
  if (ensemble.columns() > 64 || ensemble.rows() > 256 || ensemble.members().size() > 64) return;
  Matrix X(2, ensemble.columns());
  for (Index j = 0; j < X.cols(); ++j) X.col(j) << ensemble.scaler().x_min[j], 2;
  Accepts([&] {
    const Mixture mixture = ensemble.Predict(X);
    mixture.Mean();
    mixture.Std();
    mixture.Quantile(0.025);
    mixture.LogDensity(Vector::Zero(2));
  });
  Accepts([&] { ensemble.PredictCov(X); });
  Accepts([&] { ensemble.Sample(X, 2, 1); });
  Accepts([&] { ensemble.LooMean(); });
  ensemble.EffectiveMembers();
}

void EnsembleDoor(std::string_view bytes) {
  const std::string mended = MendedWithin(bytes);
  Accepts([&] {
    const Ensemble ensemble = ParseEnsemble(mended, "fuzz");
    const std::string written = SerializeEnsemble(ensemble);
    Require(SerializeEnsemble(ParseEnsemble(written, "again")) == written, "an ensemble changes in a file");
    AskEnsemble(ensemble);
  });
}

}  // namespace

INSTANTGP_DOOR(ensemble, EnsembleDoor)

}  // namespace instantgp::fuzz
