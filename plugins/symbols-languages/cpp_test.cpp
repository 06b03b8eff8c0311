#include "symbols-languages/testing/analyse.h"

#include <gtest/gtest.h>

namespace quarry::symbols_tree_sitter::testing {
namespace {

TEST(Cpp, HasClassesNamespacesAndTemplates) {
  constexpr std::string_view kText = R"text(namespace a::b {
/// A list.
template <class T>
class List : public Base {
 public:
  List() = default;
  ~List();
  explicit operator bool() const { return true; }
  bool operator==(const List& other) const;
  static constexpr int kLimit = 3;
  template <class U>
  U convert() { return U(); }
 private:
  T* first_ = nullptr;
};
enum class Kind : int { kOne, kTwo };
using Name = List<int>;
template <class T>
concept Small = sizeof(T) < 8;
namespace { int hidden = 1; }
}  // namespace a::b
)text";
  EXPECT_EQ(outline("cpp", kText), R"(namespace a @1 1-21
namespace b @1 1-21 a
class List @4 4-15 b
constructor List @6 6-6 List
declaration ~List @7 7-7 List
method operator bool @8 8-8 List
declaration operator== @9 9-9 List
field kLimit @10 10-10 List
method convert @12 12-12 List
field first_ @14 14-14 List
enum Kind @16 16-16 b
enumerator kOne @16 16-16 Kind
enumerator kTwo @16 16-16 Kind
type Name @17 17-17 b
concept Small @19 19-19 b
variable hidden @20 20-20 b
)");
}

TEST(Cpp, GivesMethodsOutsideToTheirClass) {
  constexpr std::string_view kText = R"text(class Tree {
  void grow();
  struct Leaf;
};
struct Tree::Leaf { int size; };
void Tree::grow() {
  auto local = [](int x) { int y = x; return y; };
}
int Other::count() const { return 1; }
template <> struct hash<Tree> { };
)text";
  EXPECT_EQ(outline("cpp", kText), R"(class Tree @1 1-4
declaration grow @2 2-2 Tree
struct Leaf @5 5-5 Tree
field size @5 5-5 Leaf
method grow @6 6-8 Tree
function count @9 9-9
struct hash @10 10-10
)");
}

TEST(Cpp, ReadsAroundMacrosOfLibraries) {
  constexpr std::string_view kText = R"text(LIB_BEGIN_NAMESPACE
class LIB_API Reader {
 public:
  LIB_CONSTEXPR Reader(int x) : x_(x) {}
  LIB_NODISCARD auto size() const LIB_NOEXCEPT -> int { return x_; }
  LIB_DEPRECATED("old") void old();
 private:
  int x_;
};
LIB_END_NAMESPACE
int after() { return 0; }
)text";
  EXPECT_EQ(outline("cpp", kText), R"(class Reader @2 2-9
constructor Reader @4 4-4 Reader
method size @5 5-5 Reader
declaration old @6 6-6 Reader
field x_ @8 8-8 Reader
function after @11 11-11
)");
}

}  // namespace
}  // namespace quarry::symbols_tree_sitter::testing
