// Prints the prices of genai-prices itself, one JSON object per line: for every model under each
// name of its rules, several usages at several times. Usage: node their_prices_test.mjs INDEX_JS
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const path = process.argv[2];
const { calcPrice } = await import(pathToFileURL(path));
const providers = await (async () => {
  const text = readFileSync(path, "utf8");
  const begin = text.indexOf("[");
  const end = text.indexOf("\n]", begin) + 2;
  return (0, eval)(text.slice(begin, end));
})();

const moments = ["2025-01-01T00:00:00Z", "2026-08-20T02:30:00Z", "2026-11-21T17:00:00Z",
                 "2027-01-01T00:00:00Z"];
const usages = [
  { input_tokens: 1000, output_tokens: 100 },
  { input_tokens: 50000, cache_read_tokens: 20000, cache_write_tokens: 7000, output_tokens: 900 },
  { input_tokens: 200000, output_tokens: 1 },
  { input_tokens: 1000001, cache_read_tokens: 300000, output_tokens: 64000,
    output_reasoning_tokens: 60000 },
];

function example(expression) {
  if (expression.includes("(")) return [];
  return [expression.replace(/[\^$]/g, "").replace("\\d{8}", "20260131")
    .replace("\\d{4}", "2026").replaceAll("\\d{2}", "01").replace("\\d", "1")
    .replaceAll(/\\(.)/g, "$1")];
}
function names(rule) {
  if (rule.or || rule.and) return (rule.or ?? rule.and).flatMap(names);
  if (rule.equals) return [rule.equals];
  if (rule.starts_with) return [rule.starts_with, rule.starts_with + "-20260131"];
  if (rule.ends_with) return ["some" + rule.ends_with];
  if (rule.contains) return ["a-" + rule.contains + "-b"];
  return example(rule.regex);
}

function say(provider, model, moment, usage) {
  const found = calcPrice(usage, model, { providerId: provider, timestamp: new Date(moment) });
  const keys = Object.keys(found?.model_price ?? {});
  const said = keys.some((k) => k === "input_mtok" || k === "output_mtok")
    && !keys.includes("requests_kcount");
  console.log(JSON.stringify({ provider, model, ms: Date.parse(moment), usage,
                               price: said ? found.total_price : null }));
}

let count = 0;
for (const provider of providers) {
  const sold = [provider, ...(provider.fallback_model_providers ?? [])
    .map((id) => providers.find((other) => other.id === id))];
  const all = new Set(sold.flatMap((one) => one.models.flatMap((m) => names(m.match))));
  for (const name of [...all, "no-such-model", "", " Mixed-20260131 "]) {
    say(provider.id, name, moments[count % moments.length], usages[count % usages.length]);
    say(provider.id, name.toUpperCase() + "-20250807", moments[2], usages[++count % usages.length]);
  }
}
for (const alias of ["Google-Vertex", "azure-openai", "nobody", "x.ai", "fireworks_ai"]) {
  say(alias, "gpt-4o", moments[2], usages[0]);
}
