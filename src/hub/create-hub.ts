// The hub: one switchboard, its server, and the doors in it.
import type { IncomingMessage, ServerResponse } from "node:http";
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
import type { Passed } from "./guard/guard.ts";
import { hostNames } from "./guard/host.ts";
import { respondError, respondText, statusOf } from "./http/respond.ts";
import { loadStaticFiles } from "./http/static-files.ts";
import { createHubServer, listen } from "./listen.ts";
import { createNote } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { resolveOptions } from "./options.ts";
import type { HubOptions } from "./options.ts";
import { servePage } from "./page-socket.ts";
import { findRoute } from "./routes.ts";
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

/** Pages that lose a stopping hub come back at a random time within so many milliseconds. */
const goawayWindow = 5000;

/** How often a stopping hub looks whether all is done. */
const drainLook = 50;

type Answer = (request: IncomingMessage, response: ServerResponse, passed: Passed) => void | Promise<void>;

/** Starts a hub. Resolves when it listens; rejects with a named error when it cannot. */
export async function createHub(given: HubOptions): Promise<Hub> {
  const options = resolveOptions(given);
  const { limits } = options;
  const files = await loadStaticFiles(options.assets);
  const server = createHubServer(limits);
  const port = await listen(server, options);
  const hosts = hostNames(port, options.publicHosts);
  const ownOrigins = new Set([...hosts].flatMap((host) => [`http://${host}`, `https://${host}`]));
  const note = createNote(options.log);
  const metrics = createMetrics();
  const credentials = createCredentials(options, ownOrigins);
  const guard = createGuard({ hosts, ownOrigins, credentials });
  const sockets = createSockets(limits, credentials);
  const newId = createIds();
  const switchboard = createSwitchboard({ clock: systemClock, newId, isoTime, limits });
  let draining = false;
  const door: Door = {
    switchboard,
    credentials,
    limits,
    newId,
    note,
    metrics,
    refusal: () => (draining ? stopping : undefined),
  };
  const httpCalls = createHttpCallDoor(door);
  const stopReview = options.onStateChange(() => {
    sockets.review();
    httpCalls.review();
  });

  const answers: Record<Exclude<Route["serves"], "page" | "agent">, Answer> = {
    files: (request, response) => files.serve(request, response, (origin) => !credentials.isHopeless(origin)),
    health: (_, response) => respondText(response, { text: "ok\n" }),
    readiness: (_, response) =>
      respondText(response, draining ? { text: "stopping\n", status: 503 } : { text: "ready\n" }),
    metrics: (_, response) =>
      respondText(response, { text: metrics.text(switchboard.counts()), type: "text/plain; version=0.0.4" }),
    call: httpCalls.serve,
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    guard.checkHost(request);
    const route = findRoute(request, false);
    const passed = await guard.pass(request, route);
    if (route.serves !== "page" && route.serves !== "agent") await answers[route.serves](request, response, passed);
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    guard.checkHost(request);
    const route = findRoute(request, true);
    const { origin, admitted } = await guard.pass(request, route);
    const { link, known } = await sockets.accept(request, socket, head);
    if (route.serves === "agent") return serveAgent(link, admitted, { ...door, known });
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
  server.on("error", (error) => note("error", "server-failed", { message: error.message }));

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
  if (!files.hasScript) note("warn", "assets-missing", { folder: options.assets });
  return {
    url: `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`,
    port,
    async drain() {
      draining = true;
      sockets.broadcast(encodeFrame({ type: "goaway", within: goawayWindow }));
      const end = systemClock.now() + limits.drainTime;
      // An outcome is not yet an answer: a slow caller still reads it.
      const isBusy = () => switchboard.counts().callsInFlight + httpCalls.open > 0;
      while (isBusy() && systemClock.now() < end && !closing) {
        await new Promise((resolve) => setTimeout(resolve, drainLook));
      }
      await close();
    },
    close,
  };
}

/** What a call is told that comes while the hub is stopping. */
const stopping: Outcome = {
  outcome: "rejected",
  ran: "no",
  code: "going-away",
  message: "The hub is stopping. Try again in a moment.",
  retryAfter: 1000,
};

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
