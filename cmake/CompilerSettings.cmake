# Settings every target of ours is compiled with; not exported.
add_library(instantgp_settings INTERFACE)
target_compile_options(instantgp_settings INTERFACE -Wall -Wextra -Wshadow=local -Wnon-virtual-dtor -fno-math-errno)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees an overlap in "text" + std::string at -O3 that is not there (its bug 105329).
  target_compile_options(instantgp_settings INTERFACE -Wno-restrict)
  # Nor is a string that an exception might leave unfinished ever destroyed; the dev build keeps the warning.
  target_compile_options(instantgp_settings INTERFACE $<$<CONFIG:Release>:-Wno-maybe-uninitialized>)
endif()
if(INSTANTGP_WERROR)
  target_compile_options(instantgp_settings INTERFACE -Werror)
endif()

if(INSTANTGP_ARCH)
  target_compile_options(instantgp_settings INTERFACE -march=${INSTANTGP_ARCH})
endif()
# For the few files that must run on any processor of the architecture (base/cpu.h); they come after the options above.
set(INSTANTGP_BASELINE_OPTIONS "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  set(INSTANTGP_BASELINE_OPTIONS -march=x86-64 -mtune=generic)
endif()

if(INSTANTGP_SANITIZE)
  target_compile_options(instantgp_settings INTERFACE -fsanitize=${INSTANTGP_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(instantgp_settings INTERFACE -fsanitize=${INSTANTGP_SANITIZE})
endif()
