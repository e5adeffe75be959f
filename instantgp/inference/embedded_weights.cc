// models/base.safetensors and models/ahgp-se-ard.safetensors as read-only data of the library. The assembler includes
// the file: a byte array in C++ would take minutes to compile.
#include "instantgp/inference/embedded_weights.h"

#include <string_view>

__asm__(
    ".pushsection .rodata\n"
    ".balign 64\n"
    "instantgp_weights_begin:\n"
    ".incbin \"" INSTANTGP_WEIGHTS_FILE
    "\"\n"
    "instantgp_weights_end:\n"
    ".balign 64\n"
    "instantgp_ahgp_begin:\n"
    ".incbin \"" INSTANTGP_AHGP_FILE
    "\"\n"
    "instantgp_ahgp_end:\n"
    ".popsection\n");

extern "C" {
extern const char instantgp_weights_begin[] __attribute__((visibility("hidden")));
extern const char instantgp_weights_end[] __attribute__((visibility("hidden")));
extern const char instantgp_ahgp_begin[] __attribute__((visibility("hidden")));
extern const char instantgp_ahgp_end[] __attribute__((visibility("hidden")));
}

namespace instantgp {

std::string_view EmbeddedWeights() {
  return {instantgp_weights_begin, static_cast<std::size_t>(instantgp_weights_end - instantgp_weights_begin)};
}

std::string_view EmbeddedAhgpWeights() {
  return {instantgp_ahgp_begin, static_cast<std::size_t>(instantgp_ahgp_end - instantgp_ahgp_begin)};
}

}  // namespace instantgp
