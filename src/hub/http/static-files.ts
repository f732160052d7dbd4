// Serves the package's static files: scripts with their chunks, workers, the agent's window, the console, and the terminal page. The
// contents are public; the headers restrict who may import or frame them.
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { PagewireError } from "../../wire/index.ts";
import { readFolder, respondFile } from "./file-answers.ts";
import type { FileAnswer } from "./file-answers.ts";
import { respondRedirect } from "./respond.ts";
import { pathOf } from "./exchange.ts";
import { consoleHeaders, terminalHeaders, windowPolicy } from "./content-policy.ts";

export interface StaticFiles {
  /** Whether there is a script for pages to load. */
  readonly hasScript: boolean;
  serve(request: IncomingMessage, response: ServerResponse, readers: Readers): void;
}

/** The current access rules. */
export interface Readers {
  /** Whether scripts of an origin may import what a script loads. */
  mayImport(origin: string): boolean;
  /** The origins whose pages may open the agent's window, and frame it. */
  parents(): readonly string[];
  /** The demo's address, if it is served and this client can reach it. */
  readonly demo: string | undefined;
  readonly hasTerminals: boolean;
}

/** Other origins may import scripts. Browsers restrict workers to the hub's own pages. */
type Kind = "script" | "worker" | "window" | "console" | "terminal";

interface File extends Omit<FileAnswer, "headers"> {
  readonly kind: Kind;
}

const scripts = [
  "pagewire.js",
  "ai-agent.js",
  "ai-chat.js",
  "agent-window.js",
  "actions.js",
  "terminal.js",
  "webmcp.js",
  "webmcp-polyfill.js",
];

const workers = [
  "pagewire-worker.js",
  "pagewire-service-worker.js",
  "pagewire-serving-worker.js",
  "pagewire-serving-service-worker.js",
];

export interface StaticFilesOptions {
  /** The folder with the folders browser/, agent/, console/ and terminal-page/; missing ones are skipped. */
  readonly assets: string;
  /** The origins that the terminal page may fetch from. */
  readonly fetchOrigins: readonly string[];
}

/** Reads the files once. */
export async function loadStaticFiles({ assets, fetchOrigins }: StaticFilesOptions): Promise<StaticFiles> {
  const files = new Map<string, File>();
  for (const [path, body] of await readFolder(join(assets, "browser"))) {
    if (scripts.includes(path) || path.startsWith("pagewire/")) files.set(`/${path}`, { path, body, kind: "script" });
    if (workers.includes(path)) files.set(`/${path}`, { path, body, kind: "worker" });
    if (path.startsWith("chunks/")) files.set(path.replace("chunks", "/pagewire"), { path, body, kind: "script" });
  }
  for (const [path, body] of await readFolder(join(assets, "agent"))) {
    files.set(`/agent/${path}`, { path, body, kind: "window" });
  }
  for (const [path, body] of await readFolder(join(assets, "console"))) {
    files.set(`/console/${path}`, { path, body, kind: "console" });
  }
  for (const [path, body] of await readFolder(join(assets, "terminal-page"))) {
    files.set(`/terminal/${path}`, { path, body: withFetchOrigins(body, path, fetchOrigins), kind: "terminal" });
  }

  return {
    hasScript: files.has("/pagewire.js"),
    serve(request, response, readers) {
      const path = pathOf(request);
      if (readers.demo !== undefined && isDemo(path))
        return respondRedirect(response, `${readers.demo}${path.replace(/^\/demo\/?/, "/")}`);
      if (isTerminalPage(path) && !readers.hasTerminals) return respondTerminalsOff(request, response);
      const file = files.get(fileAt(path));
      if (!file) throw new PagewireError("route-not-found", `There is nothing at ${path}.`);
      respondFile(request, response, { ...file, headers: headersOf(file, request, { ...readers, fetchOrigins }) });
    },
  };
}

/** Old addresses of the demo, which is now served at an origin of its own. */
function isDemo(path: string): boolean {
  return path === "/demo" || path.startsWith("/demo/");
}

function isTerminalPage(path: string): boolean {
  return fileAt(path) === "/terminal/index.html";
}

function fileAt(path: string): string {
  if (path === "/") return "/agent/index.html";
  if (path === "/console") return "/console/index.html";
  if (path === "/terminal") return "/terminal/index.html";
  return path.endsWith("/") ? `${path}index.html` : path;
}

function headersOf(
  { kind, path }: File,
  { headers }: IncomingMessage,
  { mayImport, parents, fetchOrigins }: Readers & Pick<StaticFilesOptions, "fetchOrigins">,
): Readonly<Record<string, string>> {
  if (kind === "worker") return {};
  const { host = "" } = headers;
  if (kind === "console") return { ...consoleHeaders(host), ...keptByNobody(path) };
  if (kind === "terminal") return { ...terminalHeaders(host, fetchOrigins), ...keptByNobody(path) };
  if (kind === "window") return { "Content-Security-Policy": windowPolicy(host, parents()), ...keptByNobody(path) };
  const { origin } = headers;
  const isShared = origin !== undefined && origin !== "null" && mayImport(origin);
  return {
    "Cross-Origin-Resource-Policy": "cross-origin",
    Vary: "Origin",
    ...(isShared ? { "Access-Control-Allow-Origin": origin } : {}),
  };
}

/** Names the origins in the page: they have no characters that HTML would need to escape. */
function withFetchOrigins(body: Buffer, path: string, origins: readonly string[]): Buffer {
  if (path !== "index.html" || origins.length === 0) return body;
  const meta = `<meta name="pagewire-fetch" content="${origins.join(" ")}" />`;
  return Buffer.from(body.toString().replace("</title>", `</title>${meta}`));
}

/**
 * A cached page would still show its content after a sign-out, and keep its policy after the allowed origins have changed.
 */
function keptByNobody(path: string): Readonly<Record<string, string>> {
  return path.endsWith(".html") ? { "Cache-Control": "no-store" } : {};
}

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Terminals are off</title>
  </head>
  <body>
    <main>
      <h1>Terminals are off</h1>
      <p>A terminal is a shell of the user who runs this hub, and there is none until it is asked for.</p>
      <p>At the computer that runs the hub, switch them on and open one with: <code>npx pagewire terminal</code></p>
      <p>Or start the hub with them: <code>npx pagewire hub --terminal</code></p>
    </main>
  </body>
</html>
`;

/** Replaces the terminal page with instructions for enabling terminals. */
function respondTerminalsOff(request: IncomingMessage, response: ServerResponse): void {
  const headers = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
  };
  respondFile(request, response, { path: "off.html", body: Buffer.from(page), headers, status: 503 });
}
