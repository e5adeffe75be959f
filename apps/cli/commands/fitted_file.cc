#include "apps/cli/commands/fitted_file.h"

#include "instantgp/base/file.h"
#include "instantgp/base/safetensors.h"

namespace instantgp::cli {

Fitted LoadFitted(const std::string& path) {
  const std::string bytes = ReadFile(path);
  const TensorFile file = ParseTensors(bytes, path);
  const auto format = file.metadata.find("format");
  if (format != file.metadata.end() && format->second == kEnsembleFormat) return ParseEnsemble(bytes, path);
  return ParseModel(bytes, path);
}

}  // namespace instantgp::cli
