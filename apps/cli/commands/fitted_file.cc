#include "apps/cli/commands/fitted_file.h"

#include <map>
#include <string>

#include "instantgp/base/mapped_file.h"
#include "instantgp/base/safetensors.h"

namespace instantgp::cli {

Fitted ParseFitted(std::string_view bytes, const std::string& origin) {
  const std::map<std::string, std::string> metadata = ViewTensors(bytes, origin).metadata;
  const auto format = metadata.find("format");
  if (format != metadata.end() && format->second == kEnsembleFormat) return ParseEnsemble(bytes, origin);
  return ParseModel(bytes, origin);
}

Fitted LoadFitted(const std::string& path) {
  const MappedFile mapped(path);
  return ParseFitted(mapped.bytes(), path);
}

std::string Serialize(const Fitted& fitted) {
  if (const auto* model = std::get_if<Model>(&fitted)) return SerializeModel(*model);
  return SerializeEnsemble(std::get<Ensemble>(fitted));
}

}  // namespace instantgp::cli
