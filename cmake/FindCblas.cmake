# Cblas::Cblas: OpenBLAS and its cblas.h.
# The header beside OpenBLAS is preferred: the plain cblas.h may be another library's, without openblas_set_num_threads.
find_path(Cblas_INCLUDE_DIR NAMES cblas.h
  PATH_SUFFIXES openblas-pthread openblas-openmp openblas-serial openblas)
find_library(Cblas_LIBRARY NAMES openblas)
mark_as_advanced(Cblas_INCLUDE_DIR Cblas_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cblas REQUIRED_VARS Cblas_LIBRARY Cblas_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "on Debian: apt install libopenblas-dev")

if(Cblas_FOUND AND NOT TARGET Cblas::Cblas)
  add_library(Cblas::Cblas UNKNOWN IMPORTED)
  set_target_properties(Cblas::Cblas PROPERTIES
    IMPORTED_LOCATION "${Cblas_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Cblas_INCLUDE_DIR}")
endif()
