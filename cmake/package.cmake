# svrmu_package(<components...>): what users of an installed svrmu find: headers, the CMake package, pkg-config files.
include(CMakePackageConfigHelpers)

function(svrmu_package)
  set(components ${ARGN})
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/svrmu)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/svrmuConfig.cmake.in
    ${PROJECT_BINARY_DIR}/svrmuConfig.cmake INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/svrmuConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES
    ${PROJECT_BINARY_DIR}/svrmuConfig.cmake
    ${PROJECT_BINARY_DIR}/svrmuConfigVersion.cmake
    ${PROJECT_SOURCE_DIR}/cmake/FindSerialHdf5.cmake
    DESTINATION ${package_dir} COMPONENT development)

  # The folders of include/svrmu that belong to other components than the core bear their names.
  set(others)
  foreach(component io experiment report)
    list(APPEND others PATTERN ${component} EXCLUDE)
    if(component IN_LIST components)
      install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/svrmu/${component} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/svrmu
        COMPONENT development FILES_MATCHING PATTERN "*.hpp")
    endif()
  endforeach()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/svrmu DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT development FILES_MATCHING PATTERN "*.hpp" ${others})

  if(c IN_LIST components)
    install(FILES ${PROJECT_SOURCE_DIR}/include/svrmu/c.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/svrmu COMPONENT development)
    svrmu_pkg_config(c svrmu-c "" "" "")
  endif()

  svrmu_pkg_config(core svrmu "eigen3 >= 3.4" "" "-pthread")
  if(io IN_LIST components)
    svrmu_pkg_config(io svrmu-io "svrmu = ${PROJECT_VERSION}" "zlib libpng" "${SerialHdf5_LIBRARY}")
  endif()
  svrmu_pkg_config(experiment svrmu-experiment "svrmu = ${PROJECT_VERSION}" "" "")
  if(report IN_LIST components)
    svrmu_pkg_config(report svrmu-report
      "svrmu-io = ${PROJECT_VERSION}, svrmu-experiment = ${PROJECT_VERSION}" "libpng" "")
  endif()
endfunction()

# svrmu_pkg_config(<component> <module> <Requires> <Requires.private> <Libs.private>): the file <module>.pc. The private ones are for
# pkg-config --static.
function(svrmu_pkg_config component module requires requires_private libs_private)
  # Relative to the file itself, so that an installation can be moved.
  file(RELATIVE_PATH up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  file(RELATIVE_PATH lib ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
  file(RELATIVE_PATH include ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  set(cflags)
  if(component STREQUAL core)
    set(cflags "-I\${includedir} -DEIGEN_MAX_ALIGN_BYTES=32")
  endif()
  set(library svrmu_${component})
  if(component STREQUAL c)  # it stands on nothing, and all else is inside
    set(cflags "-I\${includedir}")
    set(library svrmu)
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/svrmu.pc.in ${PROJECT_BINARY_DIR}/${module}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${module}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endfunction()
