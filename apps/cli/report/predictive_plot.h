// The picture of a fit.
#pragma once

#include <string>

#include "instantgp/data/dataset.h"
#include "instantgp/model/ensemble.h"
#include "instantgp/model/model.h"

namespace instantgp::cli {

// One input: data, mean, 50 and 95 percent bands of new observations, held-out rows in another mark. More: a panel per
// column (mean and bands along it, the others at their medians; the most influential ones when there are many) and
// observed against predicted. `held_out` may be null. Original units, axis names from the header.
std::string PredictivePlot(const Model& model, const Dataset& train, const Dataset* held_out);

// The same of an ensemble: the members' means as thin lines, the mixture's bold, bands between the mixture's quantiles.
std::string PredictivePlot(const Ensemble& ensemble, const Dataset& train, const Dataset* held_out);

}  // namespace instantgp::cli
