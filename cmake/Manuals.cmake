# Manual pages and completions, made by asking the program that was just built for its help. Left out where it cannot run.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(CMAKE_CROSSCOMPILING OR INSTANTGP_SANITIZE OR NOT Python3_Interpreter_FOUND)
  return()
endif()
set(manuals ${PROJECT_BINARY_DIR}/manuals)
set(packaging ${PROJECT_SOURCE_DIR}/packaging)
add_custom_command(OUTPUT ${manuals}/made
  COMMAND ${Python3_EXECUTABLE} -B ${packaging}/make_manuals.py $<TARGET_FILE:instantgp_cli> ${manuals}/man1
  COMMAND ${Python3_EXECUTABLE} -B ${packaging}/make_completions.py $<TARGET_FILE:instantgp_cli> ${manuals}/completions
  COMMAND ${CMAKE_COMMAND} -E touch ${manuals}/made
  DEPENDS instantgp_cli ${packaging}/help_text.py ${packaging}/make_manuals.py ${packaging}/make_completions.py
  COMMENT "Manual pages and completions" VERBATIM)
add_custom_target(instantgp_manuals ALL DEPENDS ${manuals}/made)
add_dependencies(instantgp_installed instantgp_manuals)
if(INSTANTGP_INSTALL)
  # A build of the library alone has none of these.
  install(DIRECTORY ${manuals}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program OPTIONAL)
  install(FILES ${manuals}/completions/instantgp DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          COMPONENT program OPTIONAL)
  install(FILES ${manuals}/completions/_instantgp DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
          COMPONENT program OPTIONAL)
  install(FILES ${manuals}/completions/instantgp.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
          COMPONENT program OPTIONAL)
endif()
