// Compares npm's own semver with our parser on thousands of ranges and versions.
// Usage: node agreement_test.mjs PROGRAM SEMVER_PACKAGE [SEED] [PAIRS]
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [program, semverPath, seed = "1", count = "20000"] = process.argv.slice(2);
const semver = createRequire(import.meta.url)(resolve(semverPath));

let state = Number(seed) >>> 0;
function random(below) {  // mulberry32
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), state | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) % below;
}
const pick = (list) => list[random(list.length)];
const maybe = (chance, make) => (random(chance) === 0 ? make() : "");

const number = () => pick(["0", "0", "1", "1", "2", "3", "10", "11", "9007199254740991", "01"]
  .slice(0, random(20) === 0 ? 10 : 7));
const identifier = () => pick(["alpha", "beta", "rc", "0", "1", "2", "11", "x-y", "-", "1a", "00"]
  .slice(0, random(15) === 0 ? 11 : 9));
const prerelease = () => "-" + identifier() + maybe(2, () => "." + identifier());
const build = () => "+" + pick(["build", "1.2", "001", "a.b-c"]);
const version = () =>
  maybe(9, () => "v") + [number(), number(), number()].join(".") + maybe(3, prerelease) +
  maybe(12, build);
const part = () => pick(["x", "X", "*", number(), number(), number(), number()]);
function partial() {
  const parts = [part(), part(), part()].slice(0, 1 + random(3));
  const tail = parts.length === 3 ? maybe(4, prerelease) + maybe(15, build) : "";
  return maybe(14, () => pick(["v", "=", "v=", "vv"])) + parts.join(".") + tail;
}
const space = () => pick(["", "", "", " ", "  "]);
const comparator = () =>
  pick(["", "", "^", "~", "~>", ">", ">=", "<", "<=", "="]) + maybe(4, space) + partial();
const hyphen = () => partial() + pick([" - ", " - ", "  -  ", " -", "- "]) + partial();
function alternative() {
  if (random(6) === 0) return hyphen();
  return Array.from({ length: 1 + random(3) }, comparator).join(pick([" ", " ", "  ", "\t"]));
}
function range() {
  const text = Array.from({ length: pick([1, 1, 1, 2, 3]) }, alternative)
    .join(pick(["||", " || ", " ||"]));
  if (random(12) !== 0) return text;
  const at = random(text.length + 1);  // a mistake
  return text.slice(0, at) + pick(["", " ", ".", "-", "1", "x", "|", ">", "<", "~", "^", "+", "a"]) +
    text.slice(at + random(2));
}

// Errors that semver accepts, since it removes stars and "+build" anywhere and ignores numbers too
// large for it.
const isOdd = (text) =>
  /[\dxX*][*]|[*][^\s|.]|[\dxX][<>=~^]|~>\s*>|=\s+[\dvxX*=]|=v*\s|[~^<>=]\s*[+]|\d{17}/.test(text);

const pairs = [];
while (pairs.length < Number(count)) {
  const text = range();
  if (!isOdd(text)) pairs.push([text, version()]);
}
const ran = spawnSync(program, [], {
  input: pairs.map((pair) => pair.join("\t").replaceAll("\n", " ")).join("\n") + "\n",
  maxBuffer: 1 << 28,
});
const ours = ran.stdout.toString().split("\n");
let wrong = 0, valid = 0, inside = 0;
pairs.forEach(([text, tested], i) => {
  const isRange = (() => { try { return new semver.Range(text); } catch { return null; } })();
  const theirs = !isRange ? "-" : semver.satisfies(tested, text) ? "1" : "0";
  valid += isRange ? 1 : 0;
  inside += theirs === "1" ? 1 : 0;
  if (ours[i] === theirs) return;
  if (++wrong <= 20) console.log(`${JSON.stringify(text)} ${tested}: ours ${ours[i]}, semver's ${theirs}`);
});
console.log(`${pairs.length} pairs, ${valid} of ranges, ${inside} inside; ${wrong} differ`);
if (ran.status !== 0 || inside < pairs.length / 20) process.exit(1);
process.exit(wrong === 0 ? 0 : 1);
