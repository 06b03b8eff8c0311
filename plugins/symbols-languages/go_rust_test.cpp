#include "symbols-languages/testing/analyse.h"

#include <gtest/gtest.h>

namespace quarry::symbols_tree_sitter::testing {
namespace {

TEST(GoAndRust, GoHasPackagesTypesMethods) {
  constexpr std::string_view kText = R"text(// Package p does.
package p

import "fmt"

const (
	A, b = iota, iota
	c, D
)

var x, y int

// T is a type.
type T struct {
	Name string `json:"name"`
	*Base
	io.Reader
}

type I interface {
	Do() error
}

type Alias = T

func (t *T) Do() error {
	local := 1
	var z int
	return nil
}

func F[K comparable](k K) func() { return func() { var q int } }
)text";
  EXPECT_EQ(outline("go", kText), R"(package p @2 1-2
constant A @7 7-7
constant b @7 7-7
constant c @8 8-8
constant D @8 8-8
variable x @11 11-11
variable y @11 11-11
struct T @14 13-18
field Name @15 15-15 T
field Base @16 16-16 T
field Reader @17 17-17 T
interface I @20 20-22
method Do @21 21-21 I
type Alias @24 24-24
method Do @26 26-30 T
function F @32 32-32
)");
}

TEST(GoAndRust, RustHasItemsAndImplementations) {
  constexpr std::string_view kText = R"text(//! Crate.
mod inner {
    pub const LIMIT: usize = 3;
}
/// A point.
#[derive(Debug)]
pub struct Point<T> {
    pub x: T,
}
enum E { A, B(u8) }
trait Shape {
    type Out;
    fn area(&self) -> f64;
}
impl<T> Shape for Point<T> {
    type Out = u8;
    fn area(&self) -> f64 { let y = 1; 0.0 }
}
static COUNT: u8 = 0;
type Pair = (u8, u8);
macro_rules! square { ($x:expr) => { $x * $x }; }
pub async fn run() { fn nested() {} }
union U { a: u8 }
)text";
  EXPECT_EQ(outline("rust", kText), R"(module inner @2 1-4
constant LIMIT @3 3-3 inner
struct Point @7 5-9
field x @8 8-8 Point
enum E @10 10-10
enumerator A @10 10-10 E
enumerator B @10 10-10 E
trait Shape @11 11-14
type Out @12 12-12 Shape
method area @13 13-13 Shape
implementation Point @15 15-18
type Out @16 16-16 Point
method area @17 17-17 Point
variable COUNT @19 19-19
type Pair @20 20-20
macro square @21 21-21
function run @22 22-22
function nested @22 22-22 run
union U @23 23-23
field a @23 23-23 U
)");
}

}  // namespace
}  // namespace quarry::symbols_tree_sitter::testing
