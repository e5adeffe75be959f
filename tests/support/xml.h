// A small checker for XML documents as our writers make them: no DTD, no CDATA.
#pragma once

#include <string>
#include <string_view>

namespace instantgp::testing {

// Empty when `document` is well-formed: one root element, balanced tags, quoted unique attributes, known entities, no
// raw
// '<' or '&' in text, valid characters. Else what is wrong and at which byte.
std::string XmlProblem(std::string_view document);

}  // namespace instantgp::testing
