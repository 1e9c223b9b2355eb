# The chart library dygraphs, which reports carry inside: Dygraphs_SCRIPT, Dygraphs_STYLE, Dygraphs_LICENSE.
# Elsewhere than in Debian's package libjs-dygraphs, point Dygraphs_ROOT to npm's folder node_modules/dygraphs.
set(places ${Dygraphs_ROOT}/dist ${Dygraphs_ROOT} /usr/share/javascript/dygraphs)
find_file(Dygraphs_SCRIPT dygraph.min.js PATHS ${places} NO_DEFAULT_PATH)
find_file(Dygraphs_STYLE dygraph.min.css PATHS ${places} NO_DEFAULT_PATH)
find_file(Dygraphs_LICENSE NAMES LICENSE.txt copyright PATHS ${Dygraphs_ROOT} /usr/share/doc/libjs-dygraphs NO_DEFAULT_PATH)
mark_as_advanced(Dygraphs_SCRIPT Dygraphs_STYLE Dygraphs_LICENSE)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Dygraphs REQUIRED_VARS Dygraphs_SCRIPT Dygraphs_STYLE Dygraphs_LICENSE
  REASON_FAILURE_MESSAGE "on Debian: apt install libjs-dygraphs")
