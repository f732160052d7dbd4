// Serves the demo at an origin of its own, as an app's server would. It can open and frame the hub's pages like any other app,
// but not read them.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { join } from "node:path";
import { PagewireError } from "../../wire/index.ts";
import type { Limits } from "../../wire/index.ts";
import { checkHost, hostNames } from "../guard/guard.ts";
import { readFolder, respondFile } from "../http/file-answers.ts";
import { respondError } from "../http/respond.ts";
import { pathOf } from "../http/exchange.ts";
import { createHubServer, listen, urlOf } from "./listen.ts";
import type { ClientSetup } from "../options/options.ts";

export interface DemoServer {
  readonly url: string;
  /** Its origins, one for each loopback name. */
  readonly origins: readonly string[];
  close(): void;
}

export interface DemoServerOptions {
  /** The folder that holds demo/. */
  readonly assets: string;
  readonly host: string;
  /** If it is taken, a free port is used. */
  readonly port: number;
  readonly limits: Limits;
  /** The hub's address, for the page; empty until it is known. */
  readonly hub: () => string;
  readonly clients: () => readonly ClientSetup[];
  /** Called with refusals and failures. */
  readonly report: (error: unknown) => void;
}

/** The meta element from which the page reads a value. */
const placeholder = (name: string): string => `<meta name="${name}" content="" />`;

export async function startDemo({
  assets,
  host,
  port,
  limits,
  hub,
  clients,
  report,
}: DemoServerOptions): Promise<DemoServer> {
  const files = await readFolder(join(assets, "demo"));
  const server = createHubServer(limits);
  const taken = await listenSomewhere(server, { host, port });
  const names = hostNames(taken, []);

  const clientLines = () => JSON.stringify(Object.fromEntries(clients().map(({ id, line }) => [id, line])));

  function answer(request: IncomingMessage, response: ServerResponse): void {
    checkHost(request, names);
    const path = pathOf(request).slice(1) || "index.html";
    const file = files.get(path);
    if (!file) throw new PagewireError("route-not-found", `There is nothing at /${path}.`);
    if (request.method !== "GET" && request.method !== "HEAD")
      throw new PagewireError("method-not-allowed", `/${path} can only be read.`);
    const body =
      path === "index.html" ? fillIn(file, { "pagewire-hub": hub(), "pagewire-clients": clientLines() }) : file;
    respondFile(request, response, { path, body, headers: { "Content-Security-Policy": demoPolicy(hub()) } });
  }

  server.on("error", report);
  server.on("request", (request, response) => {
    try {
      answer(request, response);
    } catch (error) {
      report(error);
      respondError(response, error);
    }
  });

  return {
    url: urlOf(host, taken),
    origins: [...names].map((name) => `http://${name}`),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Fills values into the page's meta elements. */
function fillIn(page: Buffer, known: Readonly<Record<string, string>>): Buffer {
  let text = page.toString();
  for (const [name, content] of Object.entries(known))
    text = text.replace(placeholder(name), () =>
      placeholder(name).replace('""', () => `"${escapeAttribute(content)}"`),
    );
  return Buffer.from(text);
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

async function listenSomewhere(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  try {
    return await listen(server, { host, port });
  } catch (error) {
    if (!PagewireError.isInstance(error) || error.code !== "address-in-use") throw error;
    return listen(server, { host, port: 0 });
  }
}

function demoPolicy(hub: string): string {
  // A policy has no syntax for IPv6 addresses.
  const [address, sockets] = hub.includes("[") ? ["http:", "ws:"] : [hub, hub.replace(/^http/, "ws")];
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self' ${address} ${sockets}`,
    "img-src 'self' data:",
    `frame-src ${address}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}
