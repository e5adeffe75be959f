# Debian packages, made by `make package` in two build folders, one for x86-64-v2 and one for x86-64-v3. The packages hold what
# is compiled twice, and which one runs is chosen when it starts:
#
#   instantgp          the program twice in /usr/lib/instantgp, /usr/bin/instantgp chooses (packaging/launcher.cc); manual
#                      pages, completions, the unit of the service
#   instantgp-mpi      the module for runs over several processes, apart because MPI is large
#   libinstantgp0.1    the shared library twice; the system's loader chooses (glibc-hwcaps)
#   libinstantgp-dev   headers, CMake package, pkg-config file
#   python3-instantgp  the Python package, its module twice; instantgp/__init__.py chooses
#
# cpack runs in the folder for v2, which holds everything that exists once; INSTANTGP_PACKAGE_NEWER names the other one.
option(INSTANTGP_PACKAGE "Set the build up for Debian packages; `make package` does" OFF)
if(NOT INSTANTGP_PACKAGE)
  return()
endif()
if(NOT INSTANTGP_ARCH MATCHES "^x86-64-v[23]$" OR NOT BUILD_SHARED_LIBS OR NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  message(FATAL_ERROR "Packages are built by `make package`, which sets what they need")
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(packaging ${PROJECT_SOURCE_DIR}/packaging)
add_dependencies(instantgp_installed instantgp)

if(INSTANTGP_ARCH STREQUAL "x86-64-v3")
  add_dependencies(instantgp_installed instantgp_launcher)
  install(TARGETS instantgp_launcher RUNTIME DESTINATION bin COMPONENT program)
  install(TARGETS instantgp_cli RUNTIME DESTINATION lib/instantgp/x86-64-v3 COMPONENT program)
  set_target_properties(instantgp PROPERTIES VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  install(TARGETS instantgp LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/glibc-hwcaps/x86-64-v3 COMPONENT library
          NAMELINK_SKIP)
  install(TARGETS instantgp_python LIBRARY DESTINATION lib/python3/dist-packages/instantgp/x86-64-v3 COMPONENT python)
  return()
endif()

# The unit, with the program where the package has it.
file(READ ${PROJECT_SOURCE_DIR}/deploy/instantgp.service unit)
string(REPLACE "/usr/local/bin/" "/usr/bin/" unit "${unit}")
string(REPLACE "copy to /etc/systemd/system, put" "put" unit "${unit}")
file(WRITE ${PROJECT_BINARY_DIR}/package/instantgp.service "${unit}")
install(FILES ${PROJECT_BINARY_DIR}/package/instantgp.service DESTINATION /lib/systemd/system COMPONENT program)

set(components program mpi library development python)
set(name_program instantgp)
set(name_mpi instantgp-mpi)
set(name_library libinstantgp${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(name_development libinstantgp-dev)
set(name_python python3-instantgp)
set(INSTANTGP_MAINTAINER "The InstantGP maintainers <maintainers@instantgp.invalid>" CACHE STRING "Maintainer of the packages")
foreach(component ${components})  # copyright, licences and the bill of materials, from what was compiled and linked
  install(CODE "execute_process(COMMAND [[${Python3_EXECUTABLE}]] -B [[${packaging}/make_documents.py]]
    [[${PROJECT_SOURCE_DIR}]] [[${PROJECT_BINARY_DIR}]] ${name_${component}} ${PROJECT_VERSION} [[${INSTANTGP_MAINTAINER}]]
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT ${component})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME instantgp)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "${INSTANTGP_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_SET_DESTDIR ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(INSTANTGP_PACKAGE_NEWER "" CACHE PATH "The finished build folder for x86-64-v3")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(what "InstantGP fits Gaussian processes to tables within milliseconds: a
transformer reads the table and the kernel and answers with the parameters.")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "${what}
This is the program: fit, predict, search, forecast, and a service with a
live page.")
set(CPACK_DEBIAN_MPI_DESCRIPTION "${what}
With this module instantgp trains and forecasts over several processes,
started by mpirun.")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "${what}
This is the C++ library, for old and new processors.")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "${what}
These are the headers of the C++20 library, its CMake package and its
pkg-config file.")
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "${what}
These are its scikit-learn estimators, forecasts and plots.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "instantgp-mpi")
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "instantgp (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${name_library} (= ${PROJECT_VERSION}), libeigen3-dev (>= 3.4)")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.11~), python3 (<< 3.12), python3-numpy, python3-sklearn (>= 1.2)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-matplotlib")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA "${packaging}/program/prerm;${packaging}/program/postrm")
# What programs that use the library depend on. CPack's own lists it twice, as the library is there twice.
file(WRITE ${PROJECT_BINARY_DIR}/package/shlibs "libinstantgp ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} ${name_library} (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/package/shlibs;${packaging}/library/triggers")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${packaging}/python/postinst;${packaging}/python/prerm")

foreach(component ${components})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name_${component}})
endforeach()
set(CPACK_INSTALL_CMAKE_PROJECTS "${INSTANTGP_PACKAGE_NEWER};InstantGP;ALL;/;${PROJECT_BINARY_DIR};InstantGP;ALL;/")
include(CPack)
