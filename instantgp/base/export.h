// What a shared library shows: everything else is hidden (-fvisibility=hidden).
#pragma once

#define INSTANTGP_EXPORT __attribute__((visibility("default")))
