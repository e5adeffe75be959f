// Memory for what is many megabytes long.
#pragma once

#include <cstddef>

namespace instantgp {

// Asks the system to back memory that has not been written to yet by pages of two megabytes where it can: a table is
// filled once, and the time of filling it is otherwise that of a fault for every four kilobytes. Only advice.
void AskForLargePages(void* begin, std::size_t bytes);

}  // namespace instantgp
