// The hub: one switchboard, its server, and the doors in it.
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { createChannels, systemClock } from "../link/index.ts";
import { createSwitchboard } from "../switchboard/index.ts";
import { PagewireError, encodeFrame } from "../wire/index.ts";
import type { Outcome } from "../wire/index.ts";
import { serveAgent } from "./doors/agent-socket.ts";
import type { Door } from "./doors/door.ts";
import { createHttpCallDoor } from "./doors/http-call.ts";
import { createCredentials } from "./guard/credentials.ts";
import { createGuard } from "./guard/guard.ts";
import { hostNames } from "./guard/host.ts";
import { pathOf, respondError, respondText, statusOf } from "./http/respond.ts";
import { loadStaticFiles } from "./http/static-files.ts";
import { createNote } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { resolveOptions } from "./options.ts";
import type { HubOptions, ResolvedOptions } from "./options.ts";
import { servePage } from "./page-socket.ts";
import { routesAt } from "./routes.ts";
import type { Route } from "./routes.ts";
import { createSockets } from "./sockets.ts";

/** A hub that listens. */
export interface Hub {
  /** Its address, such as http://127.0.0.1:7337. */
  readonly url: string;
  readonly port: number;
  /** Takes no new calls, tells pages to come back later, lets running calls finish for a while, and closes. */
  drain(): Promise<void>;
  /** Closes at once. Can be called twice. */
  close(): Promise<void>;
}

/** The protocol of a socket that carries many pages, each on a channel of its own. */
const channelsProtocol = "pagewire.channels.1";

/** Starts a hub. Resolves when it listens; rejects with a named error when it cannot. */
export async function createHub(given: HubOptions): Promise<Hub> {
  const options = resolveOptions(given);
  const { limits } = options;
  const server = createServer({
    headersTimeout: 10_000,
    requestTimeout: 60_000,
    maxHeaderSize: 16_384,
    connectionsCheckingInterval: 2000,
    // A missing Host is the guard's to refuse, like every other wrong one.
    requireHostHeader: false,
  });
  const port = await listen(server, options);
  const hosts = hostNames(port, options.publicHosts);
  const ownOrigins = new Set([...hosts].flatMap((host) => [`http://${host}`, `https://${host}`]));
  const newId = createIds();
  const note = createNote(options.log);
  const metrics = createMetrics();
  const credentials = createCredentials(options, ownOrigins);
  const guard = createGuard({ hosts, ownOrigins, credentials });
  const sockets = createSockets(limits, credentials);
  const files = await loadStaticFiles(options.assets, (origin) => !credentials.isHopeless(origin));
  const switchboard = createSwitchboard({ clock: systemClock, newId, isoTime, limits });
  let draining = false;
  const refusal = (): Outcome | undefined =>
    draining
      ? {
          outcome: "rejected",
          ran: "no",
          code: "going-away",
          message: "The hub is stopping. Try again in a moment.",
          retryAfter: 1000,
        }
      : undefined;
  const door = (known: Door["known"]): Door => ({
    switchboard,
    credentials,
    limits,
    newId,
    note,
    metrics,
    known,
    refusal,
  });
  const httpCalls = createHttpCallDoor(door(() => {}));
  const stopReview = options.onStateChange(() => sockets.review());

  const answers: Record<
    Exclude<Route["serves"], "page" | "agent">,
    (request: IncomingMessage, response: ServerResponse) => void
  > = {
    files: files.serve,
    health: (_, response) => respondText(response, 200, "ok\n"),
    readiness: (_, response) =>
      draining ? respondText(response, 503, "stopping\n") : respondText(response, 200, "ready\n"),
    metrics: (_, response) =>
      respondText(response, 200, metrics.text(switchboard.counts()), "text/plain; version=0.0.4"),
    call: () => {},
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    guard.checkHost(request);
    const route = findRoute(request, false);
    const passed = await guard.pass(request, route);
    if (route.serves === "call") return httpCalls.serve(request, response, passed);
    if (route.serves !== "page" && route.serves !== "agent") answers[route.serves](request, response);
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    guard.checkHost(request);
    const route = findRoute(request, true);
    const { origin, admitted } = await guard.pass(request, route);
    const { link, known } = await sockets.accept(request, socket, head);
    if (route.serves === "agent") {
      if (admitted) known(admitted);
      return serveAgent(link, admitted, door(known));
    }
    const pageOptions = { switchboard, credentials, limits, now: systemClock.now, note, metrics, known };
    if (request.headers["sec-websocket-protocol"] !== channelsProtocol) return servePage(link, origin, pageOptions);
    createChannels(link, { limits, onChannel: (channel) => servePage(channel, origin, pageOptions) });
  }

  server.on("request", (request, response) => {
    answer(request, response).catch((error: unknown) => {
      report(error);
      respondError(response, error);
    });
  });
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    upgrade(request, socket, head).catch((error: unknown) => {
      report(error);
      socket.end(`HTTP/1.1 ${statusOf(error)} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    });
  });
  server.on("clientError", (_, socket) => socket.destroy());

  function report(error: unknown): void {
    const code = PagewireError.isInstance(error) ? error.code : "internal-error";
    metrics.refused(code);
    if (code === "internal-error") note("error", "request-failed", { message: String(error) });
    else note("warn", "request-refused", { code });
  }

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= new Promise((resolve) => {
      stopReview();
      switchboard.close();
      sockets.close();
      server.close(() => resolve());
      server.closeAllConnections();
      note("info", "hub-stopped");
    }));

  note("info", "hub-started", { port });
  return {
    url: `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`,
    port,
    async drain() {
      draining = true;
      sockets.broadcast(encodeFrame({ type: "goaway", within: goawayWindow }) as string);
      const end = systemClock.now() + limits.drainTime;
      while (switchboard.counts().callsInFlight > 0 && systemClock.now() < end && !closing) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await close();
    },
    close,
  };
}

/** Pages that lose a stopping hub come back at a random time within so many milliseconds. */
const goawayWindow = 5000;

function listen(server: Server, { port, host }: ResolvedOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = error.code === "EADDRINUSE";
      const message = taken
        ? `Port ${port} is in use. Is a hub running already? See: pagewire doctor`
        : `The hub cannot listen on ${host}:${port}: ${error.message}`;
      reject(new PagewireError(taken ? "address-in-use" : "options-invalid", message, { cause: error }));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

function findRoute(request: IncomingMessage, isUpgrade: boolean): Route {
  const path = pathOf(request);
  const there = routesAt(path, isUpgrade);
  const method = request.method === "HEAD" ? "GET" : request.method;
  const route = there.find((one) => one.method === method);
  if (route) return route;
  if (there.length > 0)
    throw new PagewireError("method-not-allowed", `${path} does not answer to ${String(request.method)}.`);
  throw new PagewireError("route-not-found", `There is nothing at ${path}.`);
}

/** Ids that no other hub, and no earlier run of this one, ever gave. */
function createIds(): () => string {
  const run = crypto.randomUUID().replaceAll("-", "").slice(0, 20);
  let count = 0;
  return () => `${run}.${(count++).toString(36)}`;
}

const startedAt = Date.now() - systemClock.now();

function isoTime(at: number): string {
  return new Date(startedAt + at).toISOString();
}
