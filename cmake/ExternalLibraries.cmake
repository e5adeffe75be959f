# Libraries that bring no CMake package, as targets instantgp::openblas, instantgp::lbfgs and instantgp::z. Installed with ours, so
# that a program using the library links them from wherever they are on its machine.
foreach(name openblas lbfgs z)
  string(TOUPPER ${name} upper)
  find_library(${upper}_LIBRARY ${name})
  mark_as_advanced(${upper}_LIBRARY)
  if(NOT ${upper}_LIBRARY)
    set(instantgp_missing "InstantGP needs the library ${name} (Debian: libopenblas-dev, liblbfgs-dev, zlib1g-dev); "
                          "install it or set ${upper}_LIBRARY")
    if(INSTANTGP_EXTERNAL_OPTIONAL)  # find_package decides what a missing library means
      string(CONCAT InstantGP_NOT_FOUND_MESSAGE ${instantgp_missing})
      set(InstantGP_FOUND FALSE)
      return()
    endif()
    message(FATAL_ERROR ${instantgp_missing})
  endif()
  if(NOT TARGET instantgp::${name})
    add_library(instantgp::${name} UNKNOWN IMPORTED)
    set_target_properties(instantgp::${name} PROPERTIES IMPORTED_LOCATION "${${upper}_LIBRARY}")
  endif()
endforeach()
