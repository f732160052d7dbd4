// The page, and beside it at /mcp an MCP server by the official SDK. `npm start` serves both at http://localhost:3000.
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { createCounter } from "./counter.mjs";
import { registerTools } from "./tools.mjs";

const types = { ".css": "text/css", ".html": "text/html", ".js": "text/javascript" };

/** The counter is kept in a file, so that it survives the server. */
export async function startServer({ port = 3000, file = new URL(".cache/counter.json", import.meta.url) } = {}) {
  const counter = createCounter(file);
  // A server for each request, as the SDK has it: what it offers is what there is to offer just then.
  const mcp = createMcpHandler(() => {
    const server = new McpServer(
      { name: "counter", version: "1.0.0" },
      { capabilities: { tools: { listChanged: true } } },
    );
    registerTools(server, counter);
    return server;
  });
  counter.onOfferChanged(() => mcp.notify.toolsChanged());

  const http = createServer((request, response) => {
    // Another name for this address would be another site's, which must not reach what only this machine may.
    if (!/^(localhost|127\.0\.0\.1)(:\d+)?$/.test(request.headers.host ?? "")) response.writeHead(403).end();
    else if (request.url === "/mcp") answer(mcp, request, response).catch(() => response.destroy());
    else sendFile(request.url === "/" ? "/index.html" : request.url, response);
  });
  http.listen(port, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://localhost:${http.address().port}`,
    async close() {
      if (!http.listening) return;
      await mcp.close();
      http.close();
      http.closeAllConnections();
      await once(http, "close");
    },
  };
}

async function answer(mcp, request, response) {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const { method, headers } = request;
  const body = method === "POST" ? Readable.toWeb(request) : undefined;
  const url = `http://${headers.host}${request.url}`;
  const answered = await mcp.fetch(new Request(url, { method, headers, body, duplex: "half", signal: gone.signal }));
  response.writeHead(answered.status, Object.fromEntries(answered.headers)).flushHeaders();
  if (answered.body)
    Readable.fromWeb(answered.body)
      .on("error", () => response.destroy())
      .pipe(response);
  else response.end();
}

function sendFile(path, response) {
  const file = new URL(`dist${path}`, import.meta.url);
  const isOurs = /^\/[\w-]+(\.\w+)+$/.test(path) && existsSync(file);
  if (isOurs) response.setHeader("Content-Type", types[extname(path)]).end(readFileSync(file));
  else response.writeHead(404).end();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await import("./build.mjs");
  const { url } = await startServer({ port: Number(process.env.PORT ?? 3000) });
  console.log(`Open ${url} in Chrome.`);
}
