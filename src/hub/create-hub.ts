// The hub: one switchboard, its server, and the doors in it.
import type { IncomingMessage, Server } from "node:http";
import { systemClock } from "../link/index.ts";
import {
  createCallEnds,
  createInParts,
  createKeptBytes,
  createPolicyGate,
  createReturns,
  createSwitchboard,
  createWrittenKeys,
  otherOffers,
} from "../switchboard/index.ts";
import type { Returns } from "../switchboard/index.ts";
import { PagewireError, encodeFrame, parseTrace } from "../wire/index.ts";
import type { Limits, Outcome } from "../wire/index.ts";
import { startAudit, watchState } from "./reload/audit-hub.ts";
import { startDemo } from "./serving/demo-server.ts";
import type { DemoServer } from "./serving/demo-server.ts";
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
import { createRehearsalFetch } from "./doors/rehearsal/rehearsal-fetch.ts";
import { createRehearsal } from "./doors/rehearsal/create-rehearsal.ts";
import { createRehearsalDoor } from "./doors/rehearsal/rehearsal-door.ts";
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
import { createHubServer, createSecureHubServer, listen, urlOf } from "./serving/listen.ts";
import { createNote, createRefusalLog } from "./common/log.ts";
import type { Note } from "./common/log.ts";
import { createMetrics } from "./common/metrics.ts";
import type { Metrics } from "./common/metrics.ts";
import { resolveOptions } from "./options/options.ts";
import { createQueueBudget } from "./backpressure/queue-budget.ts";
import type { HubOptions, ResolvedOptions } from "./options/options.ts";
import { isLoopbackHost } from "./options/reach.ts";
import { createRenewal } from "./reload/renew-certificate.ts";
import { serve } from "./serving/serve.ts";
import type { Report } from "./serving/serve.ts";
import { createSockets } from "./sockets/sockets.ts";
import { createLater, watchStore } from "./store/index.ts";
import type { Store, StoreHealth } from "./store/index.ts";
import { loadTracing, traceCalls } from "./tracing/trace-calls.ts";

/** A hub that listens. */
export interface Hub {
  /** Its address, such as http://127.0.0.1:7337. */
  readonly url: string;
  readonly port: number;
  /** Where the demo is, if it is served. */
  readonly demo: string | undefined;
  /** How the store stands, in words for the hub's owner. */
  health(): StoreHealth;
  /** Takes no new calls, tells pages to come back later, lets running calls finish for a while, and closes. */
  drain(): Promise<void>;
  /** Closes at once. Can be called twice. */
  close(): Promise<void>;
}

/** Pages that lose a stopping hub come back at a random time within so many milliseconds, or more where they are many. */
const goawayWindow = 5000;

/** How often a stopping hub looks whether all is done. */
const drainLook = 50;

/** Starts a hub. Resolves when it listens; rejects with a named error when it cannot. */
export async function createHub(given: HubOptions): Promise<Hub> {
  const resolved = resolveOptions(given);
  const { limits } = resolved;
  // A hub does not start with one that cannot be used.
  const firstPolicy = resolved.policy();
  const files = await loadStaticFiles(resolved.assets);
  const refusals = resolved.log && createRefusalLog(resolved.log);
  const note = createNote(refusals?.log);
  const metrics = createMetrics();
  const report = createReport(note, metrics);
  const tracing = await loadTracing(note);
  // Pages that all come back at once leave no time to load what reads their tokens.
  if (resolved.jwt) await import("jose");
  const { server, port, url, demo, ...opened } = await open(resolved, report);
  const later = createLater(systemClock);
  const store = watchStore(opened.store, { note, metrics, later, clock: systemClock });
  const options = withDemo(resolved, demo);
  const hosts = hostNames(port, options.publicHosts);
  const ownOrigins = ownOriginsOf(hosts, options);
  const clock = createHubClock();
  const audit = startAudit(options, { store, limits, note, clock, port, onLost: () => metrics.notSaved("audit") });
  metrics.onRefused(audit.refused);
  const { record, onEnded, onQuestion } = audit;
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
  const returns = options.lastRun === undefined ? undefined : returnsOf(options.lastRun, limits, store);
  const keys = store.keys && createWrittenKeys(store.keys);
  const parts = createInParts(limits);
  const board = createSwitchboard({
    ...{ clock, newId, isoTime, limits, returns, keys, parts },
    ...{ others: otherOffers, ends: createCallEnds(onEnded, onQuestion), onOver },
    pins,
    kept: createKeptBytes(limits.keyBytesInAll, onOver),
    gate: createPolicyGate({ policy: policy.calls, clock, limits }),
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
  const rehearsed = createRehearsal({
    share: limits.rehearsalTime,
    onError: (error) => note("error", "request-failed", { message: String(error) }),
  });
  const playing = { rehearsal: rehearsed, now: Date.now };
  const send = ai?.isRehearsal ? createRehearsalFetch(playing) : (ai?.fetch ?? fetch);
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
  // The demo answers to this machine's names only.
  const demoFor = (request: IncomingMessage) => (isByLoopbackName(request) ? demo?.url : undefined);
  const about = (request: IncomingMessage) => describeHub({ options, parents: parents(), demo: demoFor(request) });
  const own = createOwnDoor({ ...credentials, store, limits, consents, pins, about });
  const rehearsal = options.rehearsal ? createRehearsalDoor(door, playing) : undefined;
  const review = () => {
    sockets.review();
    httpCalls.review();
    mcp.review();
    delegate.review();
    rehearsal?.review();
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
      const kept = Promise.all([core.close(), shells?.close(), told, rehearsed.close()])
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
    // An outcome is not yet an answer: a slow caller still reads it.
    const answering = [httpCalls, mcp, delegate, core, ...(rehearsal ? [rehearsal] : [])];
    const isBusy = () => switchboard.counts().callsInFlight > 0 || answering.some(({ open }) => open > 0);
    while (isBusy() && systemClock.now() < end && !closing) {
      await new Promise((resolve) => setTimeout(resolve, drainLook));
    }
    await close();
  }

  try {
    shells = createShells(door, { shell: options.shell, url, terminals, shells: credentials.shells });
  } catch (error) {
    await close();
    throw error;
  }
  const doors = { door, store, httpCalls, mcp, delegate, makeTerminals, core, own, windows, shells, rehearsal };
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

interface Opened {
  readonly server: Server;
  readonly port: number;
  readonly url: string;
  readonly demo: DemoServer | undefined;
  readonly store: Store;
}

/** Everything that may not be possible: a hub that lacks some of it does not start, and leaves nothing behind. */
async function open(options: ResolvedOptions, report: Report): Promise<Opened> {
  const { assets, host, limits, tls, publicHosts } = options;
  const server = tls ? createSecureHubServer(limits, tls()) : createHubServer(limits);
  const store = await options.openStore();
  let url = "";
  // Before the hub: from the moment that this one listens it must answer.
  let demo: DemoServer | undefined;
  try {
    if (options.demo) demo = await startDemo({ assets, host, limits, ...options.demo, hub: () => url, report });
    const port = await listen(server, options);
    // A certificate is for a name, which may be the only one that is believed.
    url = tls && publicHosts[0] ? `https://${publicHosts[0]}` : urlOf(host, port, tls ? "https" : "http");
    return { server, port, url, demo, store };
  } catch (error) {
    server.close();
    demo?.close();
    await store.close();
    throw error;
  }
}

/** Where others could put words of their own on the way, in clear, no page is the hub's. */
function ownOriginsOf(
  hosts: ReadonlySet<string>,
  { tls, insecure, proxies, publicHosts }: ResolvedOptions,
): Set<string> {
  const isClear = (host: string) => !tls && (insecure || proxies.length === 0 || !publicHosts.includes(host));
  return new Set([...hosts].flatMap((host) => [`https://${host}`, ...(isClear(host) ? [`http://${host}`] : [])]));
}

/** What is known of an earlier run. A clock that was set back must not make that one that is still to come. */
function returnsOf(lastRun: number, limits: Limits, { keys }: Store): Returns {
  const ago = Math.max(0, Date.now() - lastRun);
  const keysAreKnown = keys !== undefined && !keys.isNew;
  return createReturns({ clock: systemClock, limits, earlierEnd: systemClock.now() - ago, keysAreKnown });
}

/** Pages of the demo may do what those of every allowed origin may. */
function withDemo(options: ResolvedOptions, demo: DemoServer | undefined): ResolvedOptions {
  return demo ? { ...options, allowedOrigins: () => [...options.allowedOrigins(), ...demo.origins] } : options;
}

function createReport(note: Note, metrics: Metrics): Report {
  return (error, about) => {
    const code = PagewireError.isInstance(error) ? error.code : "internal-error";
    metrics.refused(code);
    if (code === "internal-error") note("error", "request-failed", { message: String(error), ...about });
    else note("warn", "request-refused", { code, ...about });
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
