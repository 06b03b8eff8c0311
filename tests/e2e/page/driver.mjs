// Drives Debian's Chromium for browser.py: reads a command a line from standard input, writes its result as a line.
// Usage: node driver.mjs <playwright-core/index.mjs> <axe.min.js> <limit of each step, in seconds>

import fs from "node:fs";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const [library, axe, seconds] = process.argv.slice(2);
const limit = 1000 * Number(seconds);
const { chromium } = await import(pathToFileURL(library));
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: process.getuid() === 0 ? ["--no-sandbox"] : [],
  timeout: limit,
});
const pages = new Map();

/** A page, and what went wrong on it. */
async function open({ width, height, scheme, accept }) {
  const context = await browser.newContext({
    viewport: { width, height }, colorScheme: scheme, locale: "en-GB", timezoneId: "UTC", acceptDownloads: true,
    serviceWorkers: "block",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(limit);
  const noted = { errors: [], dialogs: [], requests: [], violations: [] };
  page.on("console", (message) => message.type() === "error" && noted.errors.push(message.text()));
  page.on("pageerror", (error) => noted.errors.push(String(error)));
  page.on("dialog", (dialog) => { noted.dialogs.push(dialog.message()); dialog.dismiss(); });
  page.on("request", (request) => noted.requests.push(request.url()));
  await page.exposeFunction("noteViolation", (text) => noted.violations.push(text));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) =>
      window.noteViolation(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`));
  });
  pages.set(pages.size + 1, { context, page, noted });
  return pages.size;
}

const commands = {
  open,
  call: async ({ number, method, args }) => {
    const result = await pages.get(number).page[method](...args);
    return ["string", "number", "boolean"].includes(typeof result) || Array.isArray(result) ? result : null;
  },
  press: ({ number, keys }) => keys.reduce((before, key) => before.then(() => pages.get(number).page.keyboard.press(key)),
                                           Promise.resolve()).then(() => null),
  type: async ({ number, text }) => { await pages.get(number).page.keyboard.type(text); return null; },
  select: async ({ number, selector, value }) => pages.get(number).page.selectOption(selector, value),
  download: async ({ number, selector }) => {
    const { page } = pages.get(number);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
    return fs.readFileSync(await download.path(), "utf8");
  },
  offline: async ({ number, offline }) => { await pages.get(number).context.setOffline(offline); return null; },
  noted: async ({ number }) => pages.get(number).noted,
  // In a world of its own, which the policy of the page does not bind.
  axe: async ({ number }) => {
    const { page, context } = pages.get(number);
    const session = await context.newCDPSession(page);
    const { frameTree } = await session.send("Page.getFrameTree");
    const { executionContextId } = await session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id });
    const evaluate = async (expression) => {
      const { result, exceptionDetails } = await session.send("Runtime.evaluate",
        { expression, contextId: executionContextId, awaitPromise: true, returnByValue: true });
      if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
      return result.value;
    };
    await evaluate(fs.readFileSync(axe, "utf8") + "; 0");
    return evaluate(`axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
      .then(({ violations }) => violations.map(({ id, help, nodes }) =>
        id + ": " + help + " " + nodes.map((node) => node.target + " " + node.failureSummary).join("; ")))`);
  },
};

process.stdout.write('"ready"\n');
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { command, ...given } = JSON.parse(line);
  try {
    process.stdout.write(`${JSON.stringify({ value: await commands[command](given) })}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ error: String(error) })}\n`);
  }
}
await browser.close();
