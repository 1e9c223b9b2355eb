# cmake -D output=F -D function=NAME -D input=FILE -P embed.cmake: a source file in which NAME() is the text of FILE.
file(READ "${input}" text)
# A map of the library's own source is not there.
string(REGEX REPLACE "/[/*]# sourceMappingURL=[^\n]*" "" text "${text}")
file(WRITE "${output}.txt" "${text}")
file(READ "${output}.txt" bytes HEX)
file(REMOVE "${output}.txt")
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE "${output}" "#include \"report/assets.hpp\"

std::string_view svrmu::report::${function}() {
  static constexpr char text[] = {${bytes}};
  return {text, sizeof text};
}
")
