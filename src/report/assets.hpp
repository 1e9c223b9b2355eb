// Files that the build put into the program: CMakeLists.txt says which.
#pragma once

#include <string_view>

namespace svrmu::report {

std::string_view drawing_css();
std::string_view page_css();
std::string_view page_js();
std::string_view dygraphs_js();
std::string_view dygraphs_css();
std::string_view dygraphs_license();

}  // namespace svrmu::report
