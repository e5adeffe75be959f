// The recipe of a table (data/recipe.h) as model files keep it (docs/formats/model.md).
#pragma once

#include <nlohmann/json.hpp>

#include "instantgp/base/json_text.h"
#include "instantgp/data/recipe.h"

namespace instantgp {

JsonArray RecipeToJson(const Recipe& recipe);

// Throws nlohmann::json::exception where a field is missing or of another kind, and Error(kBadInput) where what it says
// cannot be: files are hostile.
Recipe RecipeFromJson(const nlohmann::json& j);

}  // namespace instantgp
