// What a program decides once, for its whole process.
#pragma once

#include "svrmu/export.hpp"

namespace svrmu::io {

// HDF5 is left alone when the program ends: everything is closed before that. Where the system could not
// close a file, HDF5 has freed it but still lists it, and its handler at exit would free it again. Must be
// called before anything else of HDF5; not for a library, whose client may count on that handler.
SVRMU_API void leave_hdf5_at_exit();

}  // namespace svrmu::io
