// Whole-file reading and atomic writing.
#pragma once

#include <string>
#include <string_view>

namespace instantgp {

// The bytes of a file; "-" is standard input. Throws Error(kBadInput) naming the path and the reason.
std::string ReadFile(const std::string& path);

// Writes beside the target under a temporary name, flushes it to disk, then renames: readers see the old file or the
// new one, never a part. Throws Error(kFailure) naming the path and the reason, and leaves no temporary behind.
void WriteFileAtomically(const std::string& path, std::string_view bytes);

}  // namespace instantgp
