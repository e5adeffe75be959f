#include "apps/cli/commands/fitted_file.h"

#include <map>
#include <string>

#include "instantgp/base/mapped_file.h"
#include "instantgp/base/safetensors.h"

namespace instantgp::cli {

Fitted LoadFitted(const std::string& path) {
  const MappedFile mapped(path);
  const std::map<std::string, std::string> metadata = ParseTensors(mapped.bytes(), path).metadata;
  const auto format = metadata.find("format");
  if (format != metadata.end() && format->second == kEnsembleFormat) return ParseEnsemble(mapped.bytes(), path);
  return ParseModel(mapped.bytes(), path);
}

}  // namespace instantgp::cli
