#include "instantgp/model/amortised_structure.h"

#include <optional>
#include <utility>

#include "instantgp/base/error.h"

namespace instantgp {

Structure AmortisedStructure(const Expression& expression, const std::vector<std::string>& column_names,
                             Method method) {
  std::optional<Structure> structure = ToStructure(expression);
  if (!structure) {
    throw Error(ErrorCode::kBadInput,
                "the network does not support this kernel: " + WhyOutsideFamily(expression, column_names) +
                    ". Use the method ml instead of " + std::string(Name(method)) + ".",
                {{"method", "ml"}});
  }
  return *std::move(structure);
}

}  // namespace instantgp
