// A saved file of either kind: a model or an ensemble.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "instantgp/model/ensemble.h"
#include "instantgp/model/model.h"

namespace instantgp::cli {

using Fitted = std::variant<Model, Ensemble>;

// By the format the file names; Error(kBadInput) for one that is damaged or something else.
Fitted LoadFitted(const std::string& path);
// The same of bytes; `origin` names them in messages.
Fitted ParseFitted(std::string_view bytes, const std::string& origin);
// What such a file holds.
std::string Serialize(const Fitted& fitted);

}  // namespace instantgp::cli
