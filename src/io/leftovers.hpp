// Temporary files of processes that were killed. Files without a name (O_TMPFILE) would leave nothing, but
// they cannot take the place of a file that is there, and not every file system has them.
#pragma once

#include <string>

namespace svrmu::io {

// The name of the temporary file of this process for a target.
std::string temporary_name(const std::string& target, int attempt);

// Removes the temporary files for this target whose process is gone and which nobody has locked: a living
// process of another machine or container has another number, but it has the lock.
void remove_leftovers(const std::string& target);

}  // namespace svrmu::io
