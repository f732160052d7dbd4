// The hub: one switchboard, its server, and the doors in it.
import type { Server } from "node:http";
import { systemClock } from "../link/index.ts";
import { createSwitchboard } from "../switchboard/index.ts";
import { PagewireError, encodeFrame } from "../wire/index.ts";
import type { Outcome } from "../wire/index.ts";
import { createCoreDoor } from "./doors/core/core-door.ts";
import type { Door } from "./doors/door.ts";
import { createHttpCallDoor } from "./doors/http-call.ts";
import { createMcpDoor } from "./doors/mcp/mcp-door.ts";
import { createRehearsalFetch } from "./doors/rehearsal/rehearsal-fetch.ts";
import { createRehearsalDoor } from "./doors/rehearsal/rehearsal-door.ts";
import { createCredentials } from "./guard/credentials.ts";
import { createGuard } from "./guard/guard.ts";
import { hostNames } from "./guard/host.ts";
import { loadStaticFiles } from "./http/static-files.ts";
import { createHubServer, listen } from "./listen.ts";
import { createNote } from "./log.ts";
import type { Note } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import type { Metrics } from "./metrics.ts";
import { resolveOptions } from "./options.ts";
import type { HubOptions, ResolvedOptions } from "./options.ts";
import { serve } from "./serve.ts";
import { createSockets } from "./sockets.ts";
import type { Store } from "./store/index.ts";

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

/** Pages that lose a stopping hub come back at a random time within so many milliseconds. */
const goawayWindow = 5000;

/** How often a stopping hub looks whether all is done. */
const drainLook = 50;

/** Starts a hub. Resolves when it listens; rejects with a named error when it cannot. */
export async function createHub(given: HubOptions): Promise<Hub> {
  const options = resolveOptions(given);
  const { limits } = options;
  const files = await loadStaticFiles(options.assets);
  const server = createHubServer(limits);
  const port = await listen(server, options);
  const store = openStore(server, options);
  const hosts = hostNames(port, options.publicHosts);
  const ownOrigins = new Set([...hosts].flatMap((host) => [`http://${host}`, `https://${host}`]));
  const note = createNote(options.log);
  const metrics = createMetrics();
  const report = createReport(note, metrics);
  const credentials = createCredentials(options, ownOrigins);
  const guard = createGuard({ hosts, ownOrigins, credentials });
  const sockets = createSockets({ limits, credentials, onRefused: report });
  const newId = createIds();
  const switchboard = createSwitchboard({ clock: systemClock, newId, isoTime, limits });
  let draining = false;
  const refusal = () => (draining ? stopping : undefined);
  const door: Door = { switchboard, credentials, limits, newId, note, metrics, refusal };
  const httpCalls = createHttpCallDoor(door);
  const mcp = createMcpDoor(door);
  const { ai } = options;
  const send = ai?.isRehearsal ? createRehearsalFetch() : (ai?.fetch ?? fetch);
  const core = createCoreDoor(door, { ai, store, fetch: send, now: Date.now });
  const rehearsal = options.rehearsal ? createRehearsalDoor(door) : undefined;
  const stopReview = options.onStateChange(() => {
    sockets.review();
    httpCalls.review();
    mcp.review();
    rehearsal?.review();
  });
  const doors = { door, httpCalls, mcp, core, rehearsal };
  serve(server, { ...doors, guard, sockets, files, report, isStopping: () => draining });
  server.on("error", (error) => note("error", "server-failed", { message: error.message }));
  note("info", "hub-started", { port });
  if (!files.hasScript) note("warn", "assets-missing", { folder: options.assets });

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= new Promise((resolve) => {
      draining = true;
      stopReview();
      switchboard.close();
      const told = mcp.close();
      const kept = core.close().then(() => store.close());
      sockets.close();
      server.close(() => void kept.then(resolve));
      void told.then(() => server.closeAllConnections());
      note("info", "hub-stopped");
    }));

  async function drain(): Promise<void> {
    draining = true;
    sockets.broadcast(encodeFrame({ type: "goaway", within: goawayWindow }));
    const end = systemClock.now() + limits.drainTime;
    // An outcome is not yet an answer: a slow caller still reads it.
    const isBusy = () =>
      switchboard.counts().callsInFlight + httpCalls.open + mcp.open + core.open + (rehearsal?.open ?? 0) > 0;
    while (isBusy() && systemClock.now() < end && !closing) {
      await new Promise((resolve) => setTimeout(resolve, drainLook));
    }
    await close();
  }

  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return { url: `http://${host}:${port}`, port, drain, close };
}

/** A hub that cannot keep anything does not start, and leaves nothing behind. */
function openStore(server: Server, options: ResolvedOptions): Store {
  try {
    return options.openStore();
  } catch (error) {
    server.close();
    throw error;
  }
}

function createReport(note: Note, metrics: Metrics): (error: unknown) => void {
  return (error) => {
    const code = PagewireError.isInstance(error) ? error.code : "internal-error";
    metrics.refused(code);
    if (code === "internal-error") note("error", "request-failed", { message: String(error) });
    else note("warn", "request-refused", { code });
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
