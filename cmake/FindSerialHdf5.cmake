# HDF5's C library without MPI: SerialHdf5::SerialHdf5. CMake's own FindHDF5 needs a project in C.
find_path(SerialHdf5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(SerialHdf5_LIBRARY NAMES hdf5_serial hdf5)
mark_as_advanced(SerialHdf5_INCLUDE_DIR SerialHdf5_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SerialHdf5 REQUIRED_VARS SerialHdf5_LIBRARY SerialHdf5_INCLUDE_DIR)

if(SerialHdf5_FOUND AND NOT TARGET SerialHdf5::SerialHdf5)
  add_library(SerialHdf5::SerialHdf5 UNKNOWN IMPORTED)
  set_target_properties(SerialHdf5::SerialHdf5 PROPERTIES
    IMPORTED_LOCATION "${SerialHdf5_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SerialHdf5_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS H5_USE_110_API)  # later versions change the meaning of some names
endif()
