// Serves what the package brings along: the page script with its chunks, the workers, and the demo. The same bytes for everybody.
import { readFile, readdir } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, relative, sep } from "node:path";
import { PagewireError } from "../../wire/index.ts";
import { alwaysHeaders, pathOf } from "./respond.ts";

export interface StaticFiles {
  /** Whether there is a script for pages to load. */
  readonly hasScript: boolean;
  /** `mayImport` says whether scripts of an origin may import what a script loads. */
  serve(request: IncomingMessage, response: ServerResponse, mayImport: (origin: string) => boolean): void;
}

interface File {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".png": "image/png",
};

const workers = [
  "pagewire-worker.js",
  "pagewire-service-worker.js",
  "pagewire-serving-worker.js",
  "pagewire-serving-service-worker.js",
];

const demoPolicy =
  "default-src 'self'; connect-src 'self' ws: wss:; img-src 'self' data:; style-src 'self'; script-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** Reads the files once, from the folders browser/ and demo/ of `assets`; a folder that is missing has none. */
export async function loadStaticFiles(assets: string): Promise<StaticFiles> {
  const files = new Map<string, File>();
  const script = { "Cross-Origin-Resource-Policy": "cross-origin", Vary: "Origin" };
  for (const path of await filesBelow(join(assets, "browser"))) {
    if (path === "pagewire.js" || path === "ai-agent.js" || path.startsWith("pagewire/"))
      await add(`browser/${path}`, `/${path}`, script);
    // Workers are the hub's own pages': a browser lets no other origin have them.
    if (workers.includes(path)) await add(`browser/${path}`, `/${path}`, {});
    if (path.startsWith("chunks/")) await add(`browser/${path}`, path.replace("chunks", "/pagewire"), script);
  }
  for (const path of await filesBelow(join(assets, "demo")))
    await add(`demo/${path}`, `/demo/${path}`, { "Content-Security-Policy": demoPolicy });

  async function add(path: string, url: string, headers: Record<string, string>): Promise<void> {
    const body = await readFile(join(assets, path));
    files.set(url, {
      body,
      headers: {
        "Content-Type": types[extname(path)] ?? "application/octet-stream",
        "Content-Length": String(body.length),
        "Cache-Control": "no-cache",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        ...headers,
      },
    });
  }

  return {
    hasScript: files.has("/pagewire.js"),
    serve(request, response, mayImport) {
      const path = pathOf(request);
      if ((path === "/" || path === "/demo") && files.has("/demo/index.html")) {
        response.writeHead(302, { ...alwaysHeaders, Location: "/demo/", "Content-Length": 0 });
        return void response.end();
      }
      const file = files.get(path.endsWith("/") ? `${path}index.html` : path);
      if (!file) throw new PagewireError("route-not-found", `There is nothing at ${path}.`);
      const { origin } = request.headers;
      const share = origin !== undefined && origin !== "null" && "Vary" in file.headers && mayImport(origin);
      response.writeHead(200, { ...file.headers, ...(share ? { "Access-Control-Allow-Origin": origin } : {}) });
      response.end(request.method === "HEAD" ? undefined : file.body);
    },
  };
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
