# Settings every target of ours is compiled with; not exported.
add_library(instantgp_settings INTERFACE)
target_compile_options(instantgp_settings INTERFACE -Wall -Wextra $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>
                       -Wnon-virtual-dtor -fno-math-errno)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees an overlap in "text" + std::string at -O3 that is not there (its bug 105329).
  target_compile_options(instantgp_settings INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
  # Nor is a string that an exception might leave unfinished ever destroyed; builds with sanitizers keep the warning.
  # What its own AVX-512 intrinsics leave undefined on purpose it reports too (its bug 105593).
  target_compile_options(instantgp_settings INTERFACE
                         $<$<CONFIG:Release>:-Wno-maybe-uninitialized> $<$<CONFIG:Release>:-Wno-uninitialized>)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(instantgp_settings INTERFACE -Wno-unknown-warning-option)  # GCC's own
endif()
if(INSTANTGP_WERROR STREQUAL "AUTO")
  set(werror OFF)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.")
    set(werror ON)
  endif()
else()
  set(werror ${INSTANTGP_WERROR})
endif()
if(werror)
  target_compile_options(instantgp_settings INTERFACE -Werror)
  if(INSTANTGP_PCH)
    # Through precompiled headers GCC 12 sees more that is not there, of the kind it derives from the flow of values.
    target_compile_options(instantgp_settings INTERFACE -Wno-error=stringop-overread -Wno-error=maybe-uninitialized
                           -Wno-error=free-nonheap-object -Wno-error=nonnull -Wno-error=use-after-free)
  endif()
endif()

if(INSTANTGP_ARCH)
  target_compile_options(instantgp_settings INTERFACE -march=${INSTANTGP_ARCH})
  if(INSTANTGP_ARCH STREQUAL "native" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    # The network's tiles are laid out for the sixteen registers of AVX2; under AVX-512 GCC 12 also warns of values in its
    # own headers that are not initialised. The same numbers on every processor since 2013 are worth more.
    target_compile_options(instantgp_settings INTERFACE -mno-avx512f)
  endif()
endif()

# Highway is compiled for one instruction set, the one above; what it would ask for beyond that we do not use. Without the
# definition it wants to dispatch at run time, and refuses processors it does not know how to dispatch to.
target_compile_definitions(instantgp_settings INTERFACE HWY_COMPILE_ONLY_STATIC)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
  # Without its run-time dispatch it takes NEON as it is, not NEON with AES. SVE vectors have no size, ours need one.
  target_compile_definitions(instantgp_settings INTERFACE TOOLCHAIN_MISS_SYS_AUXV_H
                             "HWY_DISABLED_TARGETS=(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
elseif(NOT INSTANTGP_ARCH STREQUAL "native")
  # x86-64-v2 and -v3 do not include AES, without which Highway would fall back to SSSE3.
  target_compile_definitions(instantgp_settings INTERFACE HWY_DISABLE_PCLMUL_AES)
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

# instantgp_cover(TARGET): with INSTANTGP_FUZZ its code counts what is executed, which is how libFuzzer tells inputs that
# reach further. Counts alone: calls at every comparison, which -fsanitize=fuzzer-no-link would add, cost more time than they
# find, for the doors have dictionaries and mutators that know the formats.
function(instantgp_cover target)
  if(INSTANTGP_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize-coverage=inline-8bit-counters,pc-table)
  endif()
endfunction()
