# What makes a mistake in reading hostile bytes harder to exploit: programs at random addresses, tables of functions that
# cannot be written, guarded stacks, checked calls of the C library. tests/packages reads the finished files for it.
# Sanitizers bring their own checks.
option(INSTANTGP_HARDENING "Guards against exploits, as Debian compiles its packages" ON)
if(NOT INSTANTGP_HARDENING OR INSTANTGP_SANITIZE)
  return()
endif()
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)  # position-independent code is on already; this links programs so
target_compile_options(instantgp_settings INTERFACE -fstack-protector-strong)
# Needs an optimiser; a compiler or a distribution may have set another level.
target_compile_options(instantgp_settings INTERFACE $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
                       $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
target_link_options(instantgp_settings INTERFACE -Wl,-z,relro -Wl,-z,now)
