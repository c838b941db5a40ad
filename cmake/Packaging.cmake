# What `cmake --install` lays down for programs that use kernels: tlxc, libtlxrt with its headers, and a CMake package.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tlxc)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tlxcConfig.cmake.in ${PROJECT_BINARY_DIR}/tlxcConfig.cmake
  INSTALL_DESTINATION ${package_folder}
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tlxcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tlxcConfig.cmake ${PROJECT_BINARY_DIR}/tlxcConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/TLXAddKernel.cmake
  DESTINATION ${package_folder})
