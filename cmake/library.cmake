# svrmu_library(<component>): what all libraries have in common: svrmu_<component>, known to others as svrmu::<component>.
# Their objects fit into shared libraries, and export what is marked SVRMU_API: docs/decisions/0012-visibility.md.
set(library_headers <Eigen/Core> <Eigen/SparseCore> <vector> <span> <variant> <functional>)
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
  set(hardened io report)
  if(SVRMU_HARDEN AND component IN_LIST hardened)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:svrmu_hardening>)
  endif()
  # A precompiled header is for one set of flags.
  if(SVRMU_PCH AND SVRMU_HARDEN AND component STREQUAL io)
    target_precompile_headers(${target} PRIVATE ${library_headers})
  elseif(SVRMU_PCH AND SVRMU_HARDEN AND component STREQUAL report)
    target_precompile_headers(${target} REUSE_FROM svrmu_io)
  elseif(SVRMU_PCH AND NOT component STREQUAL core)
    target_precompile_headers(${target} REUSE_FROM svrmu_core)
  endif()

  # An export of its own: who wants the core need not have what the others stand on.
  install(TARGETS ${target} EXPORT svrmu_${component}
    LIBRARY COMPONENT libraries NAMELINK_COMPONENT development
    ARCHIVE COMPONENT development
    RUNTIME COMPONENT libraries)
  install(EXPORT svrmu_${component} FILE svrmu_${component}.cmake NAMESPACE svrmu::
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/svrmu COMPONENT development)
endfunction()
