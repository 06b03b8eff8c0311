#include "symbols-languages/testing/analyse.h"

#include <gtest/gtest.h>

namespace quarry::symbols_tree_sitter::testing {
namespace {

TEST(Scripts, PythonHasClassesFunctionsAndVariables) {
  constexpr std::string_view kText = R"text(import os
LIMIT = 3
a, b = 1, 2

# A list.
@dataclass
class List(Base):
    """Text."""
    size: int = 0

    @property
    def first(self):
        local = 1
        def inner():
            pass
        return inner

async def run(): pass
square = lambda x: x * x
if os:
    OTHER = 1
type Pair[T] = tuple[T, T]
)text";
  EXPECT_EQ(outline("python", kText), R"(variable LIMIT @2 2-2
variable a @3 3-3
variable b @3 3-3
class List @7 5-16
field size @9 9-9 List
method first @12 11-16 List
function inner @14 14-15 first
function run @18 18-18
function square @19 19-19
variable OTHER @21 21-21
type Pair @22 22-22
)");
}

TEST(Scripts, RubyHasModulesClassesMethods) {
  constexpr std::string_view kText = R"text(module Outer
  LIMIT = 3
  # A list.
  class Outer::List < Base
    attr_accessor :size, :name
    def initialize(a); local = 1; end
    def self.build; end
    def ==(other) = true
    def empty?; end
    alias none? empty?
    alias_method :old, :build
    define_method(:made) { }
    class << self
      def hidden; end
    end
  end
end
)text";
  EXPECT_EQ(outline("ruby", kText), R"(module Outer @1 1-17
constant LIMIT @2 2-2 Outer
class List @4 3-16 Outer
property size @5 5-5 List
property name @5 5-5 List
method initialize @6 6-6 List
method build @7 7-7 List
method == @8 8-8 List
method empty? @9 9-9 List
method none? @10 10-10 List
method old @11 11-11 List
method made @12 12-12 List
method hidden @14 14-14 List
)");
}

TEST(Scripts, LuaHasFunctionsAndVariables) {
  constexpr std::string_view kText = R"text(local M = {}
-- Adds.
function M.add(a, b) return a + b end
function M:method() local x = 1 end
local function helper() end
M.sub = function(a) end
local made = function() end
local t = { run = function() end, size = 1 }
LIMIT = 3
return M
)text";
  EXPECT_EQ(outline("lua", kText), R"(variable M @1 1-1
function add @3 2-3
function method @4 4-4
function helper @5 5-5
function sub @6 6-6
function made @7 7-7
variable t @8 8-8
function run @8 8-8 t
variable LIMIT @9 9-9
)");
}

TEST(Scripts, PhpHasClassesAndFunctions) {
  constexpr std::string_view kText = R"text(<html><?php
namespace App\Models;

define('LIMIT', 3);
const OTHER = 4;

/** A box. */
#[Attribute]
final class Box extends Base {
  const KIND = 1;
  private ?int $size = 0, $other;
  public function __construct(private string $name) {}
  public static function run(): void { $local = 1; $f = function () { $x = 1; }; }
}
interface Shape { function area(); }
trait Named { }
enum Suit: string { case Hearts = 'H'; }
function helper() { }
$global = 1;
?></html>
)text";
  EXPECT_EQ(outline("php", kText), R"(namespace App\Models @2 2-2
constant LIMIT @4 4-4
constant OTHER @5 5-5
class Box @9 7-14
constant KIND @10 10-10 Box
property size @11 11-11 Box
property other @11 11-11 Box
constructor __construct @12 12-12 Box
field name @12 12-12 Box
method run @13 13-13 Box
interface Shape @15 15-15
method area @15 15-15 Shape
trait Named @16 16-16
enum Suit @17 17-17
enumerator Hearts @17 17-17 Suit
function helper @18 18-18
variable global @19 19-19
)");
}

}  // namespace
}  // namespace quarry::symbols_tree_sitter::testing
