// The kernels that a method which asks the network can fit.
#pragma once

#include <string>
#include <vector>

#include "instantgp/kernel/structure.h"
#include "instantgp/model/options.h"

namespace instantgp {

// The structure the network is asked for; else Error(kBadInput) that says why it cannot be.
Structure AmortisedStructure(const Expression& expression, const std::vector<std::string>& column_names, Method method);

}  // namespace instantgp
