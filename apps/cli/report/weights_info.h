// What a weights file holds, for `instantgp info`.
#pragma once

#include <string>
#include <string_view>

#include "apps/cli/options/common.h"

namespace instantgp::cli {

Json WeightsJson(std::string_view bytes, const std::string& origin);
std::string WeightsText(std::string_view bytes, const std::string& origin);

}  // namespace instantgp::cli
