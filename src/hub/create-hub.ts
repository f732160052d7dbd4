// Puts a hub together: one switchboard, its server, and its doors.
import type { IncomingMessage } from "node:http";
import { systemClock } from "../link/index.ts";
import { PagewireError, encodeFrame, parseTrace } from "../wire/index.ts";
import type { Outcome } from "../wire/index.ts";
import { startAudit, watchState } from "./reload/audit-hub.ts";
import { createBoard } from "./create-board.ts";
import { createCoreDoor } from "./doors/core/core-door.ts";
import { createDelegateDoor } from "./doors/delegate/delegate-door.ts";
import { createTerminalsDoor } from "./doors/delegate/terminals-door.ts";
import type { Door } from "./doors/door.ts";
import { createHttpCallDoor } from "./doors/http-call.ts";
import { createMcpDoor } from "./doors/mcp/mcp-door.ts";
import { describeHub } from "./doors/own/describe-hub.ts";
import { createArrivals } from "./backpressure/arrivals.ts";
import { createConsents } from "./approvals/consents.ts";
import { createPins } from "./approvals/pins.ts";
import { createOwnDoor } from "./doors/own/own-door.ts";
import { createShells } from "./doors/shell/shells.ts";
import type { Shells } from "./doors/shell/shells.ts";
import { createWindowDoor } from "./doors/window/window-door.ts";
import { createCredentials } from "./guard/credentials.ts";
import { createGuard, hostNames, isByLoopbackName } from "./guard/guard.ts";
import { loadStaticFiles } from "./http/static-files.ts";
import { parentOrigins } from "./http/content-policy.ts";
import { createHubClock } from "./serving/hub-clock.ts";
import { keepPolicy } from "./reload/keep-policy.ts";
import { createProxies } from "./guard/proxies.ts";
import { openServer, ownOriginsOf, withDemo } from "./serving/open-server.ts";
import { createNote, createRefusalLog } from "./common/log.ts";
import type { Note } from "./common/log.ts";
import { createMetrics } from "./common/metrics.ts";
import type { Metrics } from "./common/metrics.ts";
import { resolveOptions } from "./options/options.ts";
import { createQueueBudget } from "./backpressure/queue-budget.ts";
import type { HubOptions } from "./options/options.ts";
import { isLoopbackHost } from "./options/reach.ts";
import { createRenewal } from "./reload/renew-certificate.ts";
import { serve } from "./serving/serve.ts";
import type { Report } from "./serving/serve.ts";
import { createSockets } from "./sockets/sockets.ts";
import { createLater, watchStore } from "./store/index.ts";
import type { StoreHealth } from "./store/index.ts";
import { loadTracing, traceCalls } from "./tracing/trace-calls.ts";

/** A hub that listens. */
export interface Hub {
  /** Its address, such as http://127.0.0.1:7337. */
  readonly url: string;
  readonly port: number;
  /** The demo's address, if it is served. */
  readonly demo: string | undefined;
  /** The store's health, with details for the hub's owner. */
  health(): StoreHealth;
  /** Refuses new calls, asks pages to reconnect later, waits for running calls up to `drainTime`, and closes. */
  drain(): Promise<void>;
  /** Closes at once. Can be called twice. */
  close(): Promise<void>;
}

/** Pages of a stopping hub reconnect at a random time in this window, in milliseconds, or a longer one if they are many. */
const goawayWindow = 5000;

const drainPollInterval = 50;

/** Starts a hub. Resolves when it listens; rejects with a named error if it cannot start. */
export async function createHub(given: HubOptions): Promise<Hub> {
  const resolved = resolveOptions(given);
  const { limits } = resolved;
  // Throws for an invalid policy: the hub does not start then.
  const firstPolicy = resolved.policy();
  const files = await loadStaticFiles(resolved.assets);
  const refusals = resolved.log && createRefusalLog(resolved.log);
  const note = createNote(refusals?.log);
  const metrics = createMetrics();
  const report = createReport(note, metrics);
  const tracing = await loadTracing(note);
  // Loaded early: pages that reconnect all at once should not wait for it.
  if (resolved.jwt) await import("jose");
  const { server, port, url, demo, ...opened } = await openServer(resolved, report);
  const later = createLater(systemClock);
  const store = watchStore(opened.store, { note, metrics, later, clock: systemClock });
  const options = withDemo(resolved, demo);
  const hosts = hostNames(port, options.publicHosts);
  const ownOrigins = ownOriginsOf(hosts, options);
  const clock = createHubClock();
  const audit = startAudit(options, { store, limits, note, clock, port, onLost: () => metrics.notSaved("audit") });
  metrics.onRefused(audit.refused);
  const { record } = audit;
  const policy = keepPolicy({ first: firstPolicy, read: options.policy, now: clock.now, note, record });
  const credentials = createCredentials({
    ...{ options, ownOrigins, store, later, note, record },
    onNotSaved: metrics.notSaved,
    onOver: metrics.overBudget,
    onEnded: () => review(),
  });
  const proxies = createProxies(options);
  const guard = createGuard({ hosts, ownOrigins, credentials, proxies });
  const onOver = metrics.overBudget;
  const queues = createQueueBudget(limits, onOver);
  const arrivals = createArrivals(limits, onOver, queues);
  const pins = createPins({
    isPinned: (origin) => options.pin || policy.calls.isPinned(origin),
    store,
    later,
    limits,
    now: Date.now,
    onNotSaved: () => metrics.notSaved("pin"),
    record,
    changed: (principal) => board.review(principal),
  });
  const { clientOf } = proxies;
  const sockets = createSockets({ limits, credentials, queues, arrivals, onRefused: report, onOver, clientOf });
  const newId = createIds();
  server.on("connection", clock.accepted);
  const board = createBoard({
    ...{ clock, limits, newId, store, pins, audit, onOver },
    lastRun: options.lastRun,
    policy: policy.calls,
  });
  const switchboard = tracing ? traceCalls(board, tracing) : board;
  let draining = false;
  const returnTime = () => Math.max(draining ? goawayWindow : 0, sockets.returnTime);
  const refusal = () => (draining ? stopping : undefined);
  const readTrace: Door["readTrace"] = (headers) => tracing?.current() ?? parseTrace(headers);
  const traffic = { queues, arrivals };
  const shared = { switchboard, credentials, limits, newId, note, metrics, audit };
  const door: Door = { ...shared, ...traffic, readTrace, tracing, refusal, policy: policy.calls };
  const httpCalls = createHttpCallDoor(door);
  const mcp = createMcpDoor(door);
  const { terminals } = credentials;
  const delegate = createDelegateDoor(door, { terminals, clock });
  const makeTerminals = createTerminalsDoor({ terminals, switchboard, limits });
  const { ai } = options;
  const send = ai?.fetch ?? fetch;
  const windows = createWindowDoor(door, { clock, pins, allowedOrigins: options.allowedOrigins });
  const consents = createConsents({
    store,
    later,
    limits,
    now: Date.now,
    onNotSaved: () => metrics.notSaved("consent"),
    record,
    onOver,
  });
  const core = createCoreDoor(door, { ai, store, later, fetch: send, now: Date.now, windows, consents });
  const parents = () => parentOrigins(options.allowedOrigins());
  // The demo is served under loopback names only.
  const demoFor = (request: IncomingMessage) => (isByLoopbackName(request) ? demo?.url : undefined);
  const about = (request: IncomingMessage) => describeHub({ options, parents: parents(), demo: demoFor(request) });
  const own = createOwnDoor({ ...credentials, store, limits, consents, pins, about });
  const review = () => {
    sockets.review();
    httpCalls.review();
    mcp.review();
    delegate.review();
  };
  let shells: Shells | undefined;
  const recordChanges = watchState(options, audit);
  const renewCertificate = createRenewal(server, options.tls, note);
  const stopReview = options.onStateChange(() => {
    recordChanges();
    renewCertificate();
    if (policy.review()) board.review();
    review();
    windows.review();
    shells?.review();
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= new Promise((resolve) => {
      draining = true;
      stopReview();
      demo?.close();
      switchboard.close();
      clock.close();
      const told = mcp.close();
      windows.close();
      const kept = Promise.all([core.close(), shells?.close(), told])
        .then(() => Promise.all([later.close(), audit.close()]))
        .then(([left]) => left > 0 && note("error", "left-unsaved", { writes: left }))
        .then(() => store.close());
      sockets.close();
      server.close(() => void kept.then(resolve));
      void told.then(() => server.closeAllConnections());
      refusals?.close();
      note("info", "hub-stopped");
    }));

  async function drain(): Promise<void> {
    draining = true;
    sockets.broadcast(encodeFrame({ type: "goaway", within: returnTime() }));
    const end = systemClock.now() + limits.drainTime;
    // A call that has ended may still be sending its answer to a slow caller.
    const answering = [httpCalls, mcp, delegate, core];
    const isBusy = () => switchboard.counts().callsInFlight > 0 || answering.some(({ open }) => open > 0);
    while (isBusy() && systemClock.now() < end && !closing) {
      await new Promise((resolve) => setTimeout(resolve, drainPollInterval));
    }
    await close();
  }

  try {
    shells = createShells(door, { shell: options.shell, url, terminals, shells: credentials.shells });
  } catch (error) {
    await close();
    throw error;
  }
  const doors = { door, store, httpCalls, mcp, delegate, makeTerminals, core, own, windows, shells };
  const isStopping = () => draining;
  serve(server, {
    ...doors,
    guard,
    clientOf: proxies.clientOf,
    proofs: credentials.proofs,
    sockets,
    files,
    parents,
    demo: demoFor,
    report,
    isStopping,
    returnTime,
    policy,
  });
  server.on("error", (error) => note("error", "server-failed", { message: error.message }));
  note("info", "hub-started", { port });
  if (options.insecure && !isLoopbackHost(options.host)) note("warn", "in-clear", { host: options.host });
  if (!files.hasScript) note("warn", "assets-missing", { folder: options.assets });
  return { url, port, demo: demo?.url, health: store.health, drain, close };
}

function createReport(note: Note, metrics: Metrics): Report {
  return (error, about) => {
    const code = PagewireError.isInstance(error) ? error.code : "internal-error";
    metrics.refused(code);
    if (code === "internal-error") note("error", "request-failed", { message: String(error), ...about });
    else note("warn", "request-refused", { code, ...about });
  };
}

/** The outcome of new calls while the hub is stopping. */
const stopping: Outcome = {
  outcome: "rejected",
  ran: "no",
  code: "going-away",
  message: "The hub is stopping. Try again in a moment.",
  retryAfter: 1000,
};

/** Makes ids that are unique across hubs and runs. */
function createIds(): () => string {
  const run = crypto.randomUUID().replaceAll("-", "").slice(0, 20);
  let count = 0;
  return () => `${run}.${(count++).toString(36)}`;
}
