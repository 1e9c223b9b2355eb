# svrmu_library(<component>): what all libraries have in common: svrmu_<component>, known to others as svrmu::<component>.
# Their objects fit into shared libraries, and export what is marked SVRMU_API: docs/decisions/0012-visibility.md.
function(svrmu_library component)
  set(target svrmu_${component})
  add_library(svrmu::${component} ALIAS ${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:svrmu_warnings> $<BUILD_INTERFACE:svrmu_sanitizers>)
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${component}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    DEFINE_SYMBOL "")  # one for each library would keep them from sharing a precompiled header
  if(BUILD_SHARED_LIBS AND NOT SVRMU_SANITIZE AND NOT APPLE)
    # A symbol of another library that is not exported is an error of this one's build, not of its user's.
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
  # What handles the content of files. A precompiled header is for one set of flags, so these have their own.
  set(header svrmu_core)
  if(SVRMU_HARDEN AND component MATCHES "^(io|report|c)$")
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:svrmu_hardening>)
    set(header svrmu_hardened_pch)
  endif()
  if(SVRMU_PCH AND NOT component STREQUAL core)
    target_precompile_headers(${target} REUSE_FROM ${header})
  endif()

  # An export of its own: who wants the core need not have what the others stand on.
  install(TARGETS ${target} EXPORT svrmu_${component}
    LIBRARY COMPONENT libraries NAMELINK_COMPONENT development
    ARCHIVE COMPONENT development
    RUNTIME COMPONENT libraries)
  install(EXPORT svrmu_${component} FILE svrmu_${component}.cmake NAMESPACE svrmu::
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/svrmu COMPONENT development)
endfunction()
