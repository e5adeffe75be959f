// The library's remedies in the words of the command line.
#pragma once

#include <span>
#include <string>

#include "instantgp/base/error.h"

namespace instantgp::cli {

// "--method svgp --inducing 500"; empty for none.
std::string Flags(std::span<const Remedy> remedies);

// The message and, where the library knows one, a second line "try: --method ml".
std::string MessageOf(const Error& error);

}  // namespace instantgp::cli
