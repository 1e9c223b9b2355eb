// For those who fork while other threads may be inside HDF5: in the child it is at rest.
#pragma once

namespace svrmu::io {

void h5_before_fork();
void h5_after_fork_in_parent();
void h5_after_fork_in_child();

}  // namespace svrmu::io
