// libFuzzer's mutator for texts that hold a JSON document from their first brace on: every other time the document
// changes and stays one.
#include <cstdint>
#include <cstring>

#include "tests/fuzz/json_mutation.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  using instantgp::fuzz::JsonText;
  instantgp::fuzz::Random random(seed);
  random.discard(3);
  std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t brace = text.find('{');
  if (brace == std::string::npos || random() % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  nlohmann::json document = nlohmann::json::parse(text.begin() + static_cast<std::ptrdiff_t>(brace), text.end(),
                                                  nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return LLVMFuzzerMutate(data, size, max_size);
  for (std::size_t k = 1 + random() % 3; k-- > 0;) instantgp::fuzz::MutateJson(document, random);
  text = text.substr(0, brace) + JsonText(document);
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
