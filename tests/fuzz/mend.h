// Containers whose checksum fits again. A fuzzer that leaves the checksum as it was tests the checksum and nothing
// behind it.
#pragma once

#include <string>
#include <string_view>

namespace instantgp::fuzz {

// The same bytes with the checksum computed anew where the header has one (base/safetensors.h); other bytes come back
// as they are.
std::string Mended(std::string_view container);
// Containers within (the members of an ensemble) too.
std::string MendedWithin(std::string_view container);

}  // namespace instantgp::fuzz
