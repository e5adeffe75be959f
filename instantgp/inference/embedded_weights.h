// The bytes of the weights files in the library, as LoadWeights would read them.
#pragma once

#include <string_view>

namespace instantgp {

std::string_view EmbeddedWeights();
std::string_view EmbeddedAhgpWeights();

}  // namespace instantgp
