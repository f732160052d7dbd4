// Serves what the package brings along: scripts with their chunks, workers, and the agent's window. The same bytes for
// everybody; the headers say who may import or frame them.
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { PagewireError } from "../../wire/index.ts";
import { readFolder, respondFile } from "./file-answers.ts";
import type { FileAnswer } from "./file-answers.ts";
import { respondRedirect, pathOf } from "./respond.ts";
import { windowPolicy } from "./window-policy.ts";

export interface StaticFiles {
  /** Whether there is a script for pages to load. */
  readonly hasScript: boolean;
  serve(request: IncomingMessage, response: ServerResponse, readers: Readers): void;
}

/** For whom files are, as it is at the moment. */
export interface Readers {
  /** Whether scripts of an origin may import what a script loads. */
  mayImport(origin: string): boolean;
  /** The origins whose pages may open the agent's window, and frame it. */
  parents(): readonly string[];
  /** Where the demo is, if it is served, and can be reached by whoever asks. */
  readonly demo: string | undefined;
}

/** Pages may import a script; workers are the hub's own pages': a browser lets no other origin have them. */
type Kind = "script" | "worker" | "window";

interface File extends Omit<FileAnswer, "headers"> {
  readonly kind: Kind;
}

const scripts = ["pagewire.js", "ai-agent.js", "agent-window.js"];

const workers = [
  "pagewire-worker.js",
  "pagewire-service-worker.js",
  "pagewire-serving-worker.js",
  "pagewire-serving-service-worker.js",
];

/** Reads the files once, from the folders browser/ and agent/ of `assets`; a folder that is missing has none. */
export async function loadStaticFiles(assets: string): Promise<StaticFiles> {
  const files = new Map<string, File>();
  for (const [path, body] of await readFolder(join(assets, "browser"))) {
    if (scripts.includes(path) || path.startsWith("pagewire/")) files.set(`/${path}`, { path, body, kind: "script" });
    if (workers.includes(path)) files.set(`/${path}`, { path, body, kind: "worker" });
    if (path.startsWith("chunks/")) files.set(path.replace("chunks", "/pagewire"), { path, body, kind: "script" });
  }
  for (const [path, body] of await readFolder(join(assets, "agent"))) {
    files.set(`/agent/${path}`, { path, body, kind: "window" });
  }

  return {
    hasScript: files.has("/pagewire.js"),
    serve(request, response, readers) {
      const path = pathOf(request);
      if (readers.demo !== undefined && isDemo(path))
        return respondRedirect(response, `${readers.demo}${path.replace(/^\/demo\/?/, "/")}`);
      const file = files.get(path === "/" ? "/agent/index.html" : path.endsWith("/") ? `${path}index.html` : path);
      if (!file) throw new PagewireError("route-not-found", `There is nothing at ${path}.`);
      respondFile(request, response, { ...file, headers: headersOf(file, request, readers) });
    },
  };
}

/** The demo is at an origin of its own; these are the addresses that it had. */
function isDemo(path: string): boolean {
  return path === "/demo" || path.startsWith("/demo/");
}

function headersOf(
  { kind, path }: File,
  { headers }: IncomingMessage,
  { mayImport, parents }: Readers,
): Readonly<Record<string, string>> {
  if (kind === "worker") return {};
  if (kind === "window") return headersOfWindow(path, windowPolicy(headers.host ?? "", parents()));
  const { origin } = headers;
  const isShared = origin !== undefined && origin !== "null" && mayImport(origin);
  return {
    "Cross-Origin-Resource-Policy": "cross-origin",
    Vary: "Origin",
    ...(isShared ? { "Access-Control-Allow-Origin": origin } : {}),
  };
}

/** Of a page that it kept, a browser that goes back keeps the policy, too, and those who may frame it change. */
function headersOfWindow(path: string, policy: string): Readonly<Record<string, string>> {
  const isPage = path.endsWith(".html");
  return { "Content-Security-Policy": policy, ...(isPage ? { "Cache-Control": "no-store" } : {}) };
}
