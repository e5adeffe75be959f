// Enough to tell one file from another. Internal to experiments/.
#pragma once

#include <string>
#include <string_view>

namespace instantgp {

// FNV-1a of the bytes, 16 hexadecimal digits.
std::string Fingerprint(std::string_view bytes);

}  // namespace instantgp
