#include "symbols-languages/testing/analyse.h"

#include <gtest/gtest.h>

namespace quarry::symbols_tree_sitter::testing {
namespace {

TEST(SwiftAndScala, SwiftHasTypesAndMembers) {
  constexpr std::string_view kText = R"text(import Base

/// A box.
@objc
public final class Box: Base {
  let size: Int
  static var shared = Box()
  init(size: Int) { self.size = size }
  deinit { }
  func run() -> Int { let local = 1; return local }
  static func == (a: Box, b: Box) -> Bool { true }
  subscript(i: Int) -> Int { i }
  enum Kind: Int { case one, two = 2; case three(Int) }
}
struct S { var x = 1 }
protocol Shape { var area: Double { get }; func draw() }
extension Box { func more() {} }
typealias Name = String
let global = 1
func free() {}
)text";
  EXPECT_EQ(outline("swift", kText), R"(class Box @5 3-14
field size @6 6-6 Box
field shared @7 7-7 Box
constructor init @8 8-8 Box
method deinit @9 9-9 Box
method run @10 10-10 Box
method == @11 11-11 Box
method subscript @12 12-12 Box
enum Kind @13 13-13 Box
enumerator one @13 13-13 Kind
enumerator two @13 13-13 Kind
enumerator three @13 13-13 Kind
struct S @15 15-15
field x @15 15-15 S
interface Shape @16 16-16
property area @16 16-16 Shape
method draw @16 16-16 Shape
extension Box @17 17-17
method more @17 17-17 Box
type Name @18 18-18
variable global @19 19-19
function free @20 20-20
)");
}

TEST(SwiftAndScala, ScalaHasTypesAndMembers) {
  constexpr std::string_view kText = R"text(package a.b

/** A box. */
@deprecated
case class Box(val size: Int, name: String) extends Base {
  val limit = 3
  var state, other = 1
  def run(): Int = { val local = 1; def inner() = 2; local }
  def +(that: Box): Box
  type Out = Int
}
object Box { def apply() = new Box }
trait Shape { def area: Double; val side: Int }
package object tools { }
)text";
  EXPECT_EQ(outline("scala", kText), R"(package a.b @1 1-1
class Box @5 3-11
property size @5 5-5 Box
property name @5 5-5 Box
field limit @6 6-6 Box
field state @7 7-7 Box
field other @7 7-7 Box
method run @8 8-8 Box
function inner @8 8-8 run
method + @9 9-9 Box
type Out @10 10-10 Box
object Box @12 12-12
method apply @12 12-12 Box
trait Shape @13 13-13
method area @13 13-13 Shape
field side @13 13-13 Shape
object tools @14 14-14
)");
}

}  // namespace
}  // namespace quarry::symbols_tree_sitter::testing
