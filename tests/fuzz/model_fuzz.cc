// Model files: whatever a file says, it is refused or it is a model that can be asked, shown and written.
#include <algorithm>

#include "instantgp/model/explain.h"
#include "instantgp/model/model.h"
#include "tests/fuzz/door.h"
#include "tests/fuzz/mend.h"

namespace instantgp::fuzz {
namespace {

// The columns' smallest values of the scaler, and a place far away. A file can be well-formed and predict nonsense, NaN
// too (SECURITY.md), so the numbers are not looked at.
Matrix RowsFor(const Model& model) {
  Matrix X(3, model.columns());
  for (Index j = 0; j < X.cols(); ++j) X.col(j) << model.scaler().x_min[j], 0.5, -1e9;
  return X;
}

void AskModel(const Model& model, int turn) {
  if (model.columns() > 64 || model.rows() > 256) return;  // slow, and no other code
  const Matrix X = RowsFor(model);
  Accepts([&] {
    switch (turn) {
      case 0:
        model.Predict(X).Lower(0.95);
        break;
      case 1:
        model.Predict(X, Noise::kLatent, {.threads = 1}).Median();
        break;
      case 2:
        model.PredictCov(X);
        break;
      case 3:
        model.Sample(X, 2, 1);
        break;
      case 4:
        model.Loo();
        break;
      case 5:
        model.Parameters();
        break;
      case 6:
        model.KernelShortText(), model.AmplitudeOriginalUnits();
        break;
      default:
        Explain(model);
    }
  });
}

void ModelDoor(std::string_view bytes) {
  const std::string mended = Mended(bytes);
  Accepts([&] {
    const Model model = ParseModel(mended, "fuzz");
    const int turn = TurnOf(bytes, 12);
    if (turn < 8) return AskModel(model, turn);
    const std::string written = SerializeModel(model);
    Require(SerializeModel(ParseModel(written, "again")) == written, "a model changes on the way through a file");
  });
}

}  // namespace

INSTANTGP_DOOR(model, ModelDoor)

}  // namespace instantgp::fuzz
