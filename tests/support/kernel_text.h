// Structures as the text users write, over the columns x1..xd.
#pragma once

#include <string>

#include "instantgp/kernel/structure.h"

namespace instantgp::testing {

std::string TextOf(const Structure& structure);
// Of a text inside the family.
Structure StructureOf(const std::string& text, int d);

}  // namespace instantgp::testing
