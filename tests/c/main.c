#include <stdio.h>
#include <string.h>

#include "tests.h"

int main(int argc, char** argv) {
#define LIST_TEST(NAME) {#NAME, NAME},
  static const struct {
    const char* name;
    void (*run)(void);
  } tests[] = {FOR_ALL_TESTS(LIST_TEST)};
#undef LIST_TEST
  for (size_t i = 0; argc == 2 && i < sizeof tests / sizeof tests[0]; ++i)
    if (strcmp(argv[1], tests[i].name) == 0) {
      tests[i].run();
      return 0;
    }
  fprintf(stderr, "usage: c_tests NAME; tests.h has the names\n");
  return 2;
}
