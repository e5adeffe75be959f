// New rows for a fitted model.
#pragma once

#include <optional>

#include "instantgp/base/export.h"
#include "instantgp/base/matrix.h"
#include "instantgp/model/model.h"
#include "instantgp/model/session.h"

namespace instantgp {

enum class Reinfer {
  kWhenDrifting,  // when the rows added since the last inference surprise the model
  kAlways,
  kNever,
};

struct INSTANTGP_EXPORT UpdateOptions {
  Reinfer reinfer = Reinfer::kWhenDrifting;
  std::optional<Method> method = {};  // of a new inference; by default the one the model was fitted with
  int steps = 0;                      // as in FitOptions
};

// How the new rows look to the model that has not seen them. With A = L L^T over all rows, row i's target under the
// density the model predicts from the rows before it has the standardised residual z_i = (L^-1 y)_i; if the model is
// right these are independent standard normal numbers, and sum z_i^2 over m rows is chi-squared with m degrees.
struct INSTANTGP_EXPORT Drift {
  int rows = 0;               // since the last inference
  double score = 0;           // their mean negative log predictive density, standardised y
  double expected = 0;        // what the model expects of itself
  double mean_square = 0;     // of z; 1 is expected
  double standard_score = 0;  // of mean_square by Wilson and Hilferty's cube root: a standard normal number
  bool drifting = false;      // the standard score of these rows, or of the newest alone, is beyond kDriftLimit
};
inline constexpr double kDriftLimit = 3.5;  // in two tails: once in two thousand tests of a model that is right

struct INSTANTGP_EXPORT UpdateResult {
  Model model;
  bool reinferred = false;
  Drift drift;  // under the parameters as they were
};

// The model with further rows, in the user's units. Its scaling stays what it was, whatever the new rows are. With
// parameters kept, the factor is extended by the new rows (O(m n^2)) and the result is that of a new factorisation; a
// new inference has the parameters so far among its hypotheses, or starts from them. Of a model averaged over several
// sets of parameters, every set is extended; the drift is that of the parameters shown.
//
// Throws Error: kBadInput for rows that do not fit the model, kUsage when a sparse model is to be re-inferred, kLimit
// when the rows get too many, and what Fit throws.
INSTANTGP_EXPORT UpdateResult Update(Session& session, const Model& model, const Matrix& X_new, const Vector& y_new,
                                     const UpdateOptions& options = {});
// In a session of its own.
INSTANTGP_EXPORT UpdateResult Update(const Model& model, const Matrix& X_new, const Vector& y_new,
                                     const UpdateOptions& options = {}, const SessionOptions& session = {});

}  // namespace instantgp
