# radd_install_deployment(): the systemd unit, the shells' completions and what an operator reads.
function(radd_install_deployment)
  set(deploy "${PROJECT_SOURCE_DIR}/host/deploy")
  # The unit names absolute paths, which are known when it is installed and not before: another
  # --prefix is another unit.
  install(CODE "
    set(BIN_DIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
    set(PLUGINS_DIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/radd/plugins\")
    set(DOC_DIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
    set(unit \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/systemd/system/radd.service\")
    configure_file(\"${deploy}/radd.service.in\" \"\${unit}\" @ONLY)
    message(STATUS \"Installing: \${unit}\")")
  install(FILES "${deploy}/OPERATING.md" "${deploy}/environment.example"
    DESTINATION "${CMAKE_INSTALL_DOCDIR}")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/manifests/"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/radd/manifests")
  install(FILES "${PROJECT_SOURCE_DIR}/host/cli/completion.bash" RENAME radd
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${PROJECT_SOURCE_DIR}/host/cli/completion.zsh" RENAME _radd
    DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
endfunction()
