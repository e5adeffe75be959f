# What `cmake --install` puts where: headers, library, program, CMake package and pkg-config file. The components are those
# of the packages (Packages.cmake); without a component everything is installed.
include(CMakePackageConfigHelpers)

# The umbrella header is the list of public headers.
set(umbrella ${PROJECT_SOURCE_DIR}/instantgp/instantgp.h)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${umbrella})
file(STRINGS ${umbrella} includes REGEX "^#include \"instantgp/")
install(FILES ${umbrella} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/instantgp COMPONENT development)
foreach(line ${includes})
  string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" header "${line}")
  get_filename_component(folder ${header} DIRECTORY)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${header})
    install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder}
            COMPONENT development)
  else()
    install(FILES ${PROJECT_BINARY_DIR}/generated/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder}
            COMPONENT development)
  endif()
endforeach()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/InstantGP)
set_target_properties(instantgp PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
file(RELATIVE_PATH libdir_from_bindir /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
set_target_properties(instantgp_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${libdir_from_bindir}")
install(TARGETS instantgp EXPORT InstantGPTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS instantgp_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(EXPORT InstantGPTargets NAMESPACE instantgp:: DESTINATION ${package_folder} COMPONENT development)
configure_package_config_file(cmake/InstantGPConfig.cmake.in ${PROJECT_BINARY_DIR}/InstantGPConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/InstantGPConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/InstantGPConfig.cmake ${PROJECT_BINARY_DIR}/InstantGPConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/ExternalLibraries.cmake DESTINATION ${package_folder} COMPONENT development)

# A static library needs its own libraries in every link; a shared one names them itself.
set(INSTANTGP_PC_BLAS "-lopenblas")
if(INSTANTGP_BLAS STREQUAL "reference")
  set(INSTANTGP_PC_BLAS "-llapack -lblas")
endif()
set(INSTANTGP_PC_STATIC_LIBS "")
if(NOT BUILD_SHARED_LIBS)
  set(INSTANTGP_PC_STATIC_LIBS " ${INSTANTGP_PC_BLAS} -llbfgs -lz -pthread")
endif()
foreach(kind LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}}")
    set(INSTANTGP_PC_${kind} "${CMAKE_INSTALL_${kind}}")
  else()
    set(INSTANTGP_PC_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}}")
  endif()
endforeach()
list(JOIN INSTANTGP_EIGEN_DEFINITIONS " -D" INSTANTGP_PC_DEFINITIONS)
# Written at install time: only then is the prefix known.
install(CODE "set(INSTANTGP_PC_LIBDIR [[${INSTANTGP_PC_LIBDIR}]])
set(INSTANTGP_PC_INCLUDEDIR [[${INSTANTGP_PC_INCLUDEDIR}]])
set(INSTANTGP_PC_STATIC_LIBS [[${INSTANTGP_PC_STATIC_LIBS}]])
set(INSTANTGP_PC_BLAS [[${INSTANTGP_PC_BLAS}]])
set(INSTANTGP_PC_DEFINITIONS [[${INSTANTGP_PC_DEFINITIONS}]])
set(PROJECT_DESCRIPTION [[${PROJECT_DESCRIPTION}]])
set(PROJECT_VERSION [[${PROJECT_VERSION}]])
configure_file([[${PROJECT_SOURCE_DIR}/cmake/instantgp.pc.in]] [[${PROJECT_BINARY_DIR}/instantgp.pc]] @ONLY)" COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/instantgp.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT licence)
