import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

/** An app's own server, with one page for each script of the bench. */
export interface PageServer {
  readonly origin: string;
  /** The address of the page with this script, for the hub on this port, or for none. */
  pageFor(script: string, hubPort: number | undefined, setting?: PageSetting): string;
  close(): void;
}

/** The transport of a page's messages to the hub. */
export type Via = "socket" | "shared-worker" | "service-worker";

/** How an app speaks with its agent's window. */
export type WindowWay = "port" | "plain";

/** The parameters in a page's address, besides its hub. */
export interface PageSetting {
  readonly via?: Via;
  /** A page of Pagewire: whether its worker is the one by hand. */
  readonly byHand?: boolean;
  /** The tabs that it opens; it offers nothing then. */
  readonly next?: readonly string[];
  /**
   * The address of the agent's window that it opens, or for the floor's window the origin of its app, and their way.
   */
  readonly agent?: string;
  readonly app?: string;
  readonly way?: WindowWay;
  /** How many tools it offers, and from which number on. */
  readonly tools?: number;
  readonly from?: number;
}

const folder = fileURLToPath(new URL("browser/", import.meta.url));

/** The workers' scripts as the package has them. */
const packaged: Readonly<Record<string, string>> = {
  "/pagewire-worker.js": "pagewire/worker.js",
  "/pagewire-service-worker.js": "pagewire/service-worker.js",
};

/** Of this machine, by this name. */
export async function startPageServer(host = "127.0.0.1"): Promise<PageServer> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://pages");
    answer(pathname, searchParams).then(
      ({ type, body }) => response.writeHead(200, { "Content-Type": type }).end(body),
      (error: unknown) => response.writeHead(404).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    pageFor(script, hubPort, { next = [], byHand = false, ...setting } = {}) {
      const query = new URLSearchParams({ script, ...(hubPort !== undefined && { hub: String(hubPort) }) });
      for (const [name, value] of Object.entries(setting)) query.set(name, String(value));
      for (const url of next) query.append("next", url);
      if (byHand) query.set("by-hand", "");
      return `${origin}/page?${query.toString()}`;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(path: string, query: URLSearchParams): Promise<{ readonly type: string; readonly body: string }> {
  if (path === "/page") return { type: "text/html", body: html(query) };
  const script = packaged[path];
  const file = script === undefined ? folder + path.slice(1) : fileURLToPath(import.meta.resolve(script));
  return { type: "text/javascript", body: await readFile(file, "utf8") };
}

/** Pages of Pagewire have the hub's script tag before their own script. */
const pagesOfPagewire: readonly string[] = ["pagewire.js", "late-tool.js", "native.js", "many-rows.js", "stock.js"];

function html(query: URLSearchParams): string {
  const script = query.get("script") ?? "";
  const sdk = pagesOfPagewire.includes(script) && query.has("hub") ? sdkTags(query) : "";
  return `<!doctype html><meta charset="utf-8"><title>Bench</title>${sdk}<script src="/${script}"></script>`;
}

function sdkTags(query: URLSearchParams): string {
  const isByHand = query.has("by-hand");
  const worker = isByHand ? "" : (workerAttributes[query.get("via") ?? ""] ?? "");
  const native = query.get("script") === "native.js" ? "data-native" : "";
  const tag = `<script src="http://127.0.0.1:${query.get("hub")}/pagewire.js" data-app="bench" ${worker} ${native}></script>`;
  return isByHand ? `<script src="/worker-socket.js"></script>${tag}` : tag;
}

const workerAttributes: Readonly<Record<string, string>> = {
  "shared-worker": 'data-worker="/pagewire-worker.js"',
  "service-worker": 'data-service-worker="/pagewire-service-worker.js"',
};
