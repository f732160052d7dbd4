// A plain web server for the pages of tests: an app's own origin, or another one.
import { createServer } from "node:http";
import type { IncomingHttpHeaders, RequestListener, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The response at one path: HTML, or a body with its type and headers. */
export type Page =
  | string
  | {
      readonly body: string | Uint8Array;
      readonly type?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly status?: number;
    };

/** A request that reached the server; the browser's requests for a favicon are left out. */
interface PageRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface PageServer {
  readonly origin: string;
  readonly port: number;
  readonly requests: readonly PageRequest[];
  url(path?: string): string;
  /** The same page at another site: browsers put the previous page into the back/forward cache then, too. */
  otherSite(path: string): string;
  /** This server's origin under another name, which the browser's hostRules resolve to it. */
  originFor(hostname: string): string;
  /** Answers the request for `/when-released?<tag>`, which may come later, too. */
  release(tag: string): void;
  close(): Promise<void>;
}

interface PageServerOptions {
  readonly host?: string;
  /** Handlers of paths without a page. */
  readonly listeners?: Readonly<Record<string, RequestListener>>;
}

/** Serves these pages on a free port of this machine. Pages can be added to the record at any time. */
export async function servePages(
  pages: Record<string, Page>,
  { host = "127.0.0.1", listeners = {} }: PageServerOptions = {},
): Promise<PageServer> {
  const requests: PageRequest[] = [];
  const gates = createGates();

  const answer: RequestListener = (request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://pages");
    if (pathname === "/favicon.ico" && !Object.hasOwn(pages, pathname)) return void response.writeHead(204).end();
    requests.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers });
    if (pathname === "/when-released") return gates.wait(search.slice(1), response);
    if (Object.hasOwn(listeners, pathname)) return listeners[pathname]?.(request, response);
    const page = Object.hasOwn(pages, pathname) ? pages[pathname] : undefined;
    if (page === undefined)
      return void response.writeHead(404, { "content-type": "text/plain" }).end(`No page at ${pathname}`);
    const {
      body,
      type = "text/html; charset=utf-8",
      headers = {},
      status = 200,
    } = typeof page === "string" ? { body: page } : page;
    // With no-store the page could not enter the back/forward cache.
    response.writeHead(status, { "content-type": type, "cache-control": "no-cache", ...headers }).end(body);
  };

  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const originFor = (hostname: string): string => `http://${hostname}:${port}`;
  const origin = originFor(host);

  return {
    origin,
    port,
    requests,
    url: (path = "/") => new URL(path, origin).href,
    otherSite: (path) => `${originFor("localhost")}${path}`,
    originFor,
    release: gates.open,
    async close() {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Responses that wait until the gate of their tag is open. */
function createGates() {
  const opened = new Set<string>();
  const waiting = new Map<string, ServerResponse>();
  return {
    wait(tag: string, response: ServerResponse): void {
      if (opened.has(tag)) response.end();
      else waiting.set(tag, response);
    },
    open(tag: string): void {
      opened.add(tag);
      waiting.get(tag)?.end();
    },
  };
}
