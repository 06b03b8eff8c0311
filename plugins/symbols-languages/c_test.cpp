#include "symbols-languages/testing/analyse.h"

#include <gtest/gtest.h>

namespace quarry::symbols_tree_sitter::testing {
namespace {

TEST(C, HasFunctionsTypesAndMacros) {
  constexpr std::string_view kText = R"text(/* The limit. */
#define LIMIT 10
#define MAX(a, b) \
  ((a) > (b) ? (a) : (b))

// A point.
typedef struct point {
  int x, *y;
  int (*callback)(int);
} Point;

typedef union { int i; } Value;
enum { FIRST, LAST = 3 };
enum colour { RED };

static int count = 1, *other[3];
extern int shared;
int declared(int);

static const char *
name(int (*f)(void), int n) {
  int local = n;
  return "name";
}
int (*pointer(void))(int) { return 0; }
)text";
  EXPECT_EQ(outline("c", kText), R"(macro LIMIT @2 1-2
macro MAX @3 3-4
struct point @7 6-10
field x @8 8-8 point
field y @8 8-8 point
field callback @9 9-9 point
type Point @10 6-10
field i @12 12-12 Value
union Value @12 12-12
enumerator FIRST @13 13-13
enumerator LAST @13 13-13
enum colour @14 14-14
enumerator RED @14 14-14 colour
variable count @16 16-16
variable other @16 16-16
declaration shared @17 17-17
declaration declared @18 18-18
function name @21 20-24
function pointer @25 25-25
)");
}

TEST(C, ReadsFunctionsInTheStyleOfKernighanAndRitchie) {
  constexpr std::string_view kText = R"text(int main(argc, argv)
int argc;
char **argv;
{
  return 0;
}
)text";
  EXPECT_EQ(outline("c", kText), R"(function main @1 1-6
)");
}

TEST(C, ReadsBothHalvesOfAConditional) {
  constexpr std::string_view kText = R"text(#ifdef A
int f(int a) {
#else
int f(long a) {
#endif
  if (a) {
    return 1;
  }
  return 0;
}
#if 0
int dead(void) { return 0; }
#else
int alive(void) { return 0; }
#endif
int g(void) { return 1; }
)text";
  EXPECT_EQ(outline("c", kText), R"(function f @2 2-10
function f @4 4-10
function alive @14 14-14
function g @16 16-16
)");
}

TEST(C, ReadsAroundAttributeMacros) {
  constexpr std::string_view kText = R"text(EXPORT_API int f(void) { return 0; }
static int __init g(void) { return 0; }
BEGIN_DECLS
struct EXPORT_API s { int x; };
int h(void) NOTHROW { return 0; }
END_DECLS
int last(void) { return 0; }
)text";
  EXPECT_EQ(outline("c", kText), R"(function f @1 1-1
function g @2 2-2
struct s @4 4-4
field x @4 4-4 s
function h @5 5-5
function last @7 7-7
)");
}

TEST(C, ReadsATableWithConditionals) {
  constexpr std::string_view kText = R"text(entry table[] = {
#ifdef X
  {"x", 1},
#endif
  {"y", 2},
};
int (*variable)(void) = 0;
)text";
  EXPECT_EQ(outline("c", kText), R"(variable table @1 1-6
variable variable @7 7-7
)");
}

}  // namespace
}  // namespace quarry::symbols_tree_sitter::testing
