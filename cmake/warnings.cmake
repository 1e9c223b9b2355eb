add_library(svrmu_warnings INTERFACE)
target_compile_options(svrmu_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi
  # g++ takes the files that a unity build includes for headers.
  $<$<AND:$<BOOL:${CMAKE_UNITY_BUILD}>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>
  # At -O3 g++ 12 warns of its own strings and variants; builds whose warnings are errors keep these on.
  $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>,$<NOT:$<BOOL:${SVRMU_WERROR}>>>:-Wno-maybe-uninitialized;-Wno-stringop-overflow>
  $<$<BOOL:${SVRMU_WERROR}>:-Werror>)
