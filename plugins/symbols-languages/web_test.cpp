#include "symbols-languages/testing/analyse.h"

#include <gtest/gtest.h>

namespace quarry::symbols_tree_sitter::testing {
namespace {

TEST(Web, JavaScriptHasClassesFunctionsAndConstants) {
  constexpr std::string_view kText = R"text(// Adds.
export function add(a, b) { const local = 1; return a + b; }
export default class List extends Base {
  static limit = 3;
  #hidden = 1;
  handler = () => {};
  constructor() { super(); this.size = 0; this.size = 1; }
  get first() { return 1; }
  async *walk() {}
  #secret() {}
}
const square = (x) => x * x;
const { one, two: three } = config;
let state = 1;
var table = { run() {}, 'quoted': 1, stop: function () {}, deep: { level: 1 } };
List.prototype.extra = function () {};
module.exports = { name: 'x' };
setTimeout(() => { const inner = 1; });
function* generate() {}
List.prototype.kind = 'list';
const nested = { a: { b: { c: { d: 1 } } }, e: [{ f: { g: 1 } }] };
function fill(other) { other.member = { x: { y: 1 } }; return { z: { w: 1 } }; }
)text";
  EXPECT_EQ(outline("javascript", kText), R"(function add @2 1-2
class List @3 3-11
field limit @4 4-4 List
field #hidden @5 5-5 List
method handler @6 6-6 List
constructor constructor @7 7-7 List
field size @7 7-7 List
method first @8 8-8 List
method walk @9 9-9 List
method #secret @10 10-10 List
function square @12 12-12
variable one @13 13-13
variable three @13 13-13
variable state @14 14-14
variable table @15 15-15
method run @15 15-15 table
property quoted @15 15-15 table
method stop @15 15-15 table
property deep @15 15-15 table
property level @15 15-15 deep
function extra @16 16-16
property name @17 17-17
function generate @19 19-19
property kind @20 20-20
constant nested @21 21-21
property a @21 21-21 nested
property b @21 21-21 a
property c @21 21-21 b
property d @21 21-21 c
property e @21 21-21 nested
property g @21 21-21 e
function fill @22 22-22
)");
}

TEST(Web, TypeScriptHasTypes) {
  constexpr std::string_view kText = R"text(/** A shape. */
export interface Shape<T> {
  area: number;
  draw(context: T): void;
  new (x: number): Shape<T>;
}
export type Name = string | number;
declare function load(path: string): void;
export const enum Kind { One, Two = 2 }
namespace Inner.Deep { export const x = 1; }
@Component({})
export abstract class Box<T> {
  private size = 0;
  constructor(private readonly name: string, plain: number) {}
  abstract run(): void;
  handler = (x: number) => { const y = x; };
}
declare module 'mod' { }
)text";
  EXPECT_EQ(outline("typescript", kText), R"(interface Shape @2 1-6
property area @3 3-3 Shape
method draw @4 4-4 Shape
method new @5 5-5 Shape
type Name @7 7-7
function load @8 8-8
enum Kind @9 9-9
enumerator One @9 9-9 Kind
enumerator Two @9 9-9 Kind
namespace Inner.Deep @10 10-10
constant x @10 10-10 Inner.Deep
class Box @12 11-17
field size @13 13-13 Box
constructor constructor @14 14-14 Box
field name @14 14-14 Box
method run @15 15-15 Box
method handler @16 16-16 Box
namespace mod @18 18-18
)");
}

TEST(Web, TypeScriptReadsSignaturesOnNewLines) {
  constexpr std::string_view kText = R"text(export const dual: {
  <A>(a: A): A
  <B>(b: B, c: number): B
} = make()
export const after = 1
)text";
  EXPECT_EQ(outline("typescript", kText), R"(constant dual @1 1-4
constant after @5 5-5
)");
}

TEST(Web, TsxHasComponents) {
  constexpr std::string_view kText =
      R"text(export const Page = (props: Props) => <div>{props.name}</div>;
export function App() { return <Page name="App" />; }
)text";
  EXPECT_EQ(outline("tsx", kText), R"(function Page @1 1-1
function App @2 2-2
)");
}

}  // namespace
}  // namespace quarry::symbols_tree_sitter::testing
