// What is left when memory has run out.
#pragma once

namespace instantgp::cli {

// Keeps a mebibyte back, and gives it free when `new` first finds no memory; `new` then tries once more. What is large
// fails all the same, with std::bad_alloc; what is small gets its memory, so that a message can be made and what is
// half built can be taken down. The JSON library needs that: its documents ask for memory when they are destroyed, and
// cannot throw there. Call once in main.
void KeepMemoryReserve();

}  // namespace instantgp::cli
