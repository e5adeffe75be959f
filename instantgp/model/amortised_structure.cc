#include "instantgp/model/amortised_structure.h"

#include <optional>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/kernel/fixed.h"

namespace instantgp {

Structure AmortisedStructure(const Expression& expression, const std::vector<std::string>& column_names,
                             Method method) {
  std::optional<Structure> structure = ToStructure(expression);
  if (!structure) {
    throw Error(ErrorCode::kBadInput,
                "the network does not support this kernel: " + WhyOutsideFamily(expression, column_names) +
                    ". Use the method map instead of " + std::string(Name(method)) + ".",
                {{"method", "map"}});
  }
  if (FixesScale(expression)) {
    throw Error(
        ErrorCode::kBadInput,
        "the network's answers are free in their overall scale, so that a kernel with a fixed variance or offset "
        "needs another method; lengthscales and periods can be fixed. Use the method map instead of " +
            std::string(Name(method)) + ".",
        {{"method", "map"}});
  }
  return *std::move(structure);
}

}  // namespace instantgp
