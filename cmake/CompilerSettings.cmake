# Settings every target of ours is compiled with; not exported.
add_library(instantgp_settings INTERFACE)
target_compile_options(instantgp_settings INTERFACE -Wall -Wextra -Wshadow=local -Wnon-virtual-dtor -fno-math-errno)
if(INSTANTGP_WERROR)
  target_compile_options(instantgp_settings INTERFACE -Werror)
endif()

if(INSTANTGP_ARCH)
  target_compile_options(instantgp_settings INTERFACE -march=${INSTANTGP_ARCH})
endif()

if(INSTANTGP_SANITIZE)
  target_compile_options(instantgp_settings INTERFACE -fsanitize=${INSTANTGP_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(instantgp_settings INTERFACE -fsanitize=${INSTANTGP_SANITIZE})
endif()
