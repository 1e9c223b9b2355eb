add_library(svrmu_sanitizers INTERFACE)
if(SVRMU_SANITIZE)
  target_compile_options(svrmu_sanitizers INTERFACE
    -fsanitize=${SVRMU_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    # The instrumentation hides initializations from g++, which then warns about Eigen's own code.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_compile_definitions(svrmu_sanitizers INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(svrmu_sanitizers INTERFACE -fsanitize=${SVRMU_SANITIZE})
endif()
