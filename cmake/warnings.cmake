add_library(svrmu_warnings INTERFACE)
target_compile_options(svrmu_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi
  $<$<BOOL:${SVRMU_WERROR}>:-Werror>)
