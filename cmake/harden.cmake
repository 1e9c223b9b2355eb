# SVRMU_HARDEN: what makes a mistake in a parser hard to exploit. svrmu_hardening is for what reads files and
# handles what they say: svrmu::io, svrmu::report and the program. The core goes without: it sees no bytes of a
# file, and checks in its loops would cost what they are written to save.
include(CheckCXXCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

set(harden_default OFF)
if(CMAKE_SYSTEM_NAME STREQUAL Linux AND CMAKE_BUILD_TYPE STREQUAL Release AND NOT SVRMU_SANITIZE
    AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  set(harden_default ON)
endif()
option(SVRMU_HARDEN "Harden the program and the parsers: RELRO, stack protector, checked C and C++ library, PIE"
  ${harden_default})

# harden_where_known(compile|link <flags...>): those of the flags that the compiler or the linker takes.
function(harden_where_known kind)
  foreach(flag ${ARGN})
    string(MAKE_C_IDENTIFIER "SVRMU_HAVE${flag}" known)
    if(kind STREQUAL link)
      check_linker_flag(CXX ${flag} ${known})
      set(options target_link_options)
    else()
      check_cxx_compiler_flag(${flag} ${known})
      set(options target_compile_options)
    endif()
    if(${known})
      cmake_language(CALL ${options} svrmu_hardening INTERFACE ${flag})
    endif()
  endforeach()
endfunction()

add_library(svrmu_hardening INTERFACE)
if(SVRMU_HARDEN)
  harden_where_known(compile -fstack-protector-strong -fstack-clash-protection -fcf-protection)
  harden_where_known(link -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  # The fortified C library needs an optimized build. A distribution may have asked for it already.
  target_compile_options(svrmu_hardening INTERFACE $<$<CONFIG:Release>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>)
  target_compile_definitions(svrmu_hardening INTERFACE _GLIBCXX_ASSERTIONS)
  check_pie_supported(LANGUAGES CXX)
endif()
