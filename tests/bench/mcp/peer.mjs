// The official SDK's server without sessions, as in its documentation: the same tool with the same
// answer. Prints the port. Usage: node peer.mjs <node_modules> <file with the answer>
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

const [modules, answer] = process.argv.slice(2);
const sdk = (path) => import(pathToFileURL(`${modules}/@modelcontextprotocol/sdk/dist/esm/${path}`));
const { McpServer } = await sdk("server/mcp.js");
const { StreamableHTTPServerTransport } = await sdk("server/streamableHttp.js");
const structured = JSON.parse(readFileSync(answer, "utf8"));

function makeServer() {
  const server = new McpServer({ name: "peer", version: "1.0.0" });
  server.registerTool("listResources", { title: "List resources", description: "The resources." },
    async () => ({
      content: [{ type: "text", text: JSON.stringify(structured) }],
      structuredContent: structured,
    }));
  return server;
}

const http = createServer(async (request, response) => {
  const server = makeServer();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  response.on("close", () => { transport.close(); server.close(); });
  await server.connect(transport);
  await transport.handleRequest(request, response);
});
http.listen(0, "127.0.0.1", () => console.log(http.address().port));
