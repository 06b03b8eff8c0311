#include "symbols-languages/testing/analyse.h"

#include <gtest/gtest.h>

namespace quarry::symbols_tree_sitter::testing {
namespace {

TEST(JavaAndItsKin, JavaHasTypesAndMembers) {
  constexpr std::string_view kText = R"text(package org.example;

/**
 * A list.
 */
@Deprecated
public class Box<T> implements Runnable {
  static final int LIMIT = 3, OTHER = 4;
  private T value;

  public Box(T value) { this.value = value; }

  @Override
  public void run() { int local = 1; Runnable r = () -> { int x; }; }

  enum Kind { ONE, TWO { void f() {} } }
  interface Inner { int K = 1; void g(); }
  record Pair(int a, int b) { Pair { } }
  @interface Mark { String value(); }
}
)text";
  EXPECT_EQ(outline("java", kText), R"(package org.example @1 1-1
class Box @7 3-20
field LIMIT @8 8-8 Box
field OTHER @8 8-8 Box
field value @9 9-9 Box
constructor Box @11 11-11 Box
method run @14 13-14 Box
enum Kind @16 16-16 Box
enumerator ONE @16 16-16 Kind
enumerator TWO @16 16-16 Kind
method f @16 16-16 TWO
interface Inner @17 17-17 Box
constant K @17 17-17 Inner
method g @17 17-17 Inner
class Pair @18 18-18 Box
field a @18 18-18 Box
field b @18 18-18 Box
constructor Pair @18 18-18 Pair
interface Mark @19 19-19 Box
method value @19 19-19 Mark
)");
}

TEST(JavaAndItsKin, CSharpHasTypesAndMembers) {
  constexpr std::string_view kText = R"text(using Short = System.Collections;
namespace A.B {
  /// <summary>A box.</summary>
  [Serializable]
  public class Box<T> : IBox {
    private int first, second = 2;
    public int Size { get; set; }
    public event Action Changed;
    public Box() { var local = 1; }
    ~Box() { }
    public void Run() { int Inner() { return 1; } }
    public static bool operator ==(Box<T> a, Box<T> b) { return true; }
    public int this[int i] { get { return i; } }
    delegate void Handler(int x);
  }
  struct S { }
  interface IBox { void Run(); }
  enum E { One, Two }
  record R(int X);
}
)text";
  EXPECT_EQ(outline("c_sharp", kText), R"(type Short @1 1-1
namespace A.B @2 2-20
class Box @5 3-15 A.B
field first @6 6-6 Box
field second @6 6-6 Box
property Size @7 7-7 Box
event Changed @8 8-8 Box
constructor Box @9 9-9 Box
method Box @10 10-10 Box
method Run @11 11-11 Box
function Inner @11 11-11 Run
method == @12 12-12 Box
property this @13 13-13 Box
type Handler @14 14-14 Box
struct S @16 16-16 A.B
interface IBox @17 17-17 A.B
method Run @17 17-17 IBox
enum E @18 18-18 A.B
enumerator One @18 18-18 E
enumerator Two @18 18-18 E
class R @19 19-19 A.B
property X @19 19-19 R
)");
}

TEST(JavaAndItsKin, KotlinHasTypesAndMembers) {
  constexpr std::string_view kText = R"text(package a.b

/** A box. */
@Serializable
data class Box(val size: Int, private var name: String, plain: Int) : Base() {
  val limit = 3
  fun run() { val local = 1 }
  companion object { const val K = 1 }
  enum class Kind { ONE, TWO }
}
interface Shape { fun area(): Double }
object Single { fun f() = 1 }
typealias Name = String
fun String.twice() = this + this
var global = 1
annotation class Mark
)text";
  EXPECT_EQ(outline("kotlin", kText), R"(package a.b @1 1-1
class Box @5 3-10
property size @5 5-5 Box
property name @5 5-5 Box
field limit @6 6-6 Box
method run @7 7-7 Box
field K @8 8-8 Box
class Kind @9 9-9 Box
enumerator ONE @9 9-9 Kind
enumerator TWO @9 9-9 Kind
interface Shape @11 11-11
method area @11 11-11 Shape
object Single @12 12-12
method f @12 12-12 Single
type Name @13 13-13
function twice @14 14-14
variable global @15 15-15
class Mark @16 16-16
)");
}

}  // namespace
}  // namespace quarry::symbols_tree_sitter::testing
