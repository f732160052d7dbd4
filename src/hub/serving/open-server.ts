// Opens what a hub depends on: its store, its listening server, and the demo. If one fails, the others are closed again.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { PagewireError, messageOf } from "../../wire/index.ts";
import { respondText } from "../http/respond.ts";
import type { ResolvedOptions } from "../options/options.ts";
import { openHubsKey } from "../store/index.ts";
import type { Store } from "../store/index.ts";
import { startDemo } from "./demo-server.ts";
import type { DemoServer } from "./demo-server.ts";
import { createHubServer, createSecureHubServer, listen, urlOf } from "./listen.ts";
import type { Report } from "../common/report.ts";

export interface Opened {
  readonly server: Server;
  readonly port: number;
  readonly url: string;
  readonly demo: DemoServer | undefined;
  readonly store: Store;
  /** A key that all hubs of this store have; undefined for a hub alone. */
  readonly hubsKey: (() => string) | undefined;
  /** For probes and metrics alone. */
  readonly monitor: Server | undefined;
}

export async function openServer(options: ResolvedOptions, report: Report): Promise<Opened> {
  const { assets, host, limits, tls, publicHosts, clients, metricsPort } = options;
  const server = tls ? createSecureHubServer(limits, tls()) : createHubServer(limits);
  server.on("request", sayStarting);
  const monitor = metricsPort === undefined ? undefined : createHubServer(limits).on("request", sayStarting);
  const store = await options.openStore();
  let url = "";
  let demo: DemoServer | undefined;
  try {
    // The demo first: it must answer as soon as the hub listens.
    if (options.demo)
      demo = await startDemo({ assets, host, limits, clients, ...options.demo, hub: () => url, report });
    if (monitor) await listen(monitor, { port: metricsPort ?? 0, host }).catch(refuseMetricsPort);
    const hubsKey = options.cluster && (await openHubsKey(store.homes));
    server.once("close", () => hubsKey?.close());
    const port = await listen(server, options);
    // A certificate may be valid for the public name only.
    url = tls && publicHosts[0] ? `https://${publicHosts[0]}` : urlOf(host, port, tls ? "https" : "http");
    return { server, port, url, demo, store, monitor, hubsKey: hubsKey && (() => hubsKey.key) };
  } catch (error) {
    server.close();
    monitor?.close();
    demo?.close();
    await store.close();
    throw error;
  }
}

/** Requests come before the hub can answer them: one without an answer would hang. */
function sayStarting(_: IncomingMessage, response: ServerResponse): void {
  respondText(response, { text: "starting\n", status: 503 });
}

function refuseMetricsPort(error: unknown): never {
  throw new PagewireError("options-invalid", `No metrics can be served. ${messageOf(error)}`, { cause: error });
}

/** The origins of the hub's own pages. Plain http counts only where no proxy and no network can change it. */
export function ownOriginsOf(
  hosts: ReadonlySet<string>,
  { tls, insecure, proxies, publicHosts }: ResolvedOptions,
): Set<string> {
  const isClear = (host: string) => !tls && (insecure || proxies.length === 0 || !publicHosts.includes(host));
  return new Set([...hosts].flatMap((host) => [`https://${host}`, ...(isClear(host) ? [`http://${host}`] : [])]));
}

/** Allows the demo's origins. */
export function withDemo(options: ResolvedOptions, demo: DemoServer | undefined): ResolvedOptions {
  return demo ? { ...options, allowedOrigins: () => [...options.allowedOrigins(), ...demo.origins] } : options;
}
