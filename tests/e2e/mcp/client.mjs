// One of the official clients: connects, lists the tools, asks, and prints the results as JSON.
// Usage: node client.mjs <node_modules>, and on standard input a plan as JSON:
//   {"client": "1"|"2", "mode"?, "url"?, "token"?, "command"?, "args"?, "env"?, "cwd"?, "question",
//    "calls"?: [{"name", "arguments"}]}
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [modules] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(0, "utf8"));
const load = (path) => import(pathToFileURL(`${modules}/@modelcontextprotocol/${path}`));

async function parts() {
  if (plan.client === "2") {
    const main = await load("client/dist/index.mjs");
    const stdio = await load("client/dist/stdio.mjs");
    return { ...main, ...stdio };
  }
  const main = await load("sdk/dist/esm/client/index.js");
  const http = await load("sdk/dist/esm/client/streamableHttp.js");
  const stdio = await load("sdk/dist/esm/client/stdio.js");
  return { ...main, ...http, ...stdio };
}

const sdk = await parts();
const options = plan.mode ? { versionNegotiation: { mode: plan.mode } } : {};
const client = new sdk.Client({ name: "peer", version: "1.0.0" }, options);
const transport = plan.url
  ? new sdk.StreamableHTTPClientTransport(new URL(plan.url), {
      requestInit: { headers: { Authorization: `Bearer ${plan.token}` } },
    })
  : new sdk.StdioClientTransport({
      command: plan.command, args: plan.args, env: plan.env, cwd: plan.cwd, stderr: "inherit",
    });
await client.connect(transport);

const tools = await client.listTools();
const call = { name: "ask", arguments: { question: plan.question } };
let progress = 0;
const begin = Date.now();
const request = {
  onprogress: () => { progress += 1; },
  resetTimeoutOnProgress: true,
};
const answer = plan.client === "2" ? await client.callTool(call, request)
                                   : await client.callTool(call, undefined, request);
// The clients check structured results by the output schemas of the tools that they have listed.
const called = [];
for (const one of plan.calls ?? []) called.push(await client.callTool(one));
console.log(JSON.stringify({
  called,
  tools: tools.tools.map((tool) => tool.name),
  progress,
  seconds: (Date.now() - begin) / 1000,
  isError: answer.isError ?? false,
  text: answer.content.map((part) => part.text).join(""),
  structured: answer.structuredContent,
  version: client.getServerVersion?.(),
  era: client.getProtocolEra?.(),
  instructions: client.getInstructions?.(),
}));
await client.close();
