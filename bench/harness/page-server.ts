import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

/** An app's own server, with one page for each script of the bench. */
export interface PageServer {
  readonly origin: string;
  /** The address of the page with this script, for the hub on this port. */
  pageFor(script: string, hubPort: number): string;
  close(): void;
}

const folder = fileURLToPath(new URL("browser/", import.meta.url));

export async function startPageServer(): Promise<PageServer> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://pages");
    answer(pathname, searchParams).then(
      ({ type, body }) => response.writeHead(200, { "Content-Type": type }).end(body),
      (error: unknown) => response.writeHead(404).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    pageFor: (script, hubPort) => `${origin}/page?script=${script}&hub=${hubPort}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(path: string, query: URLSearchParams): Promise<{ readonly type: string; readonly body: string }> {
  if (path === "/page") return { type: "text/html", body: html(query.get("script") ?? "", query.get("hub") ?? "") };
  return { type: "text/javascript", body: await readFile(folder + path.slice(1), "utf8") };
}

/** Pages of Pagewire have the hub's script tag before their own script. */
const pagesOfPagewire: readonly string[] = ["pagewire.js", "late-tool.js"];

function html(script: string, hub: string): string {
  const tag = `<script src="http://127.0.0.1:${hub}/pagewire.js" data-app="bench"></script>`;
  const sdk = pagesOfPagewire.includes(script) ? tag : "";
  return `<!doctype html><meta charset="utf-8"><title>Bench</title>${sdk}<script src="/${script}"></script>`;
}
