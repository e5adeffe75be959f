// A saved file of either kind: a model or an ensemble.
#pragma once

#include <string>
#include <variant>

#include "instantgp/model/ensemble.h"
#include "instantgp/model/model.h"

namespace instantgp::cli {

using Fitted = std::variant<Model, Ensemble>;

// By the format the file names; Error(kBadInput) for one that is damaged or something else.
Fitted LoadFitted(const std::string& path);

}  // namespace instantgp::cli
