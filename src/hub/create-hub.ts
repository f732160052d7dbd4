// Puts a hub together: one switchboard, its server, and its doors.
import { systemClock } from "../link/index.ts";
import { parseTrace } from "../wire/index.ts";
import { createArrivals } from "./backpressure/arrivals.ts";
import { createQueueBudget } from "./backpressure/queue-budget.ts";
import { createCallIds } from "./common/call-ids.ts";
import { createNote, createRefusalLog } from "./common/log.ts";
import type { Note } from "./common/log.ts";
import type { Joining } from "./cluster/join-cluster.ts";
import { createMetrics } from "./common/metrics.ts";
import { createDoors } from "./create-doors.ts";
import { createHubSwitchboard } from "./create-switchboard.ts";
import { stopping } from "./doors/door.ts";
import type { Door } from "./doors/door.ts";
import type { createTeamDoor } from "./doors/team/team-door.ts";
import { createShells } from "./doors/shell/shells.ts";
import { createCredentials } from "./guard/credentials.ts";
import { createGuard, hostNames } from "./guard/guard.ts";
import { localPrincipal } from "./guard/root-credentials.ts";
import { createProxies } from "./guard/proxies.ts";
import { plainChallenge } from "./http/challenge.ts";
import { loadStaticFiles } from "./http/static-files.ts";
import { resolveOptions } from "./options/options.ts";
import type { ClusterOptions } from "./options/cluster-options.ts";
import type { HubOptions, ResolvedOptions } from "./options/options.ts";
import type { ResolvedTeam } from "./options/team-options.ts";
import { createRenewal, isLoopbackHost } from "./options/reach.ts";
import { startAudit, watchState } from "./reload/audit-hub.ts";
import { keepPolicy } from "./reload/keep-policy.ts";
import { createHubClock } from "./serving/hub-clock.ts";
import { openServer, ownOriginsOf, withDemo } from "./serving/open-server.ts";
import { createReport } from "./common/report.ts";
import { RunningHub } from "./serving/running-hub.ts";
import { serve } from "./serving/serve.ts";
import { DisconnectedTabs } from "./sockets/disconnected-tabs.ts";
import { createSockets } from "./sockets/sockets.ts";
import { createLater, watchStore } from "./store/index.ts";
import type { StoreHealth } from "./store/index.ts";
import type { Team, TeamParts } from "./team/team.ts";
import { loadTracing } from "./tracing/trace-calls.ts";
import { createOriginWaits } from "./waits/other-waits.ts";
import type { OriginWaits } from "./waits/other-waits.ts";
import { createPageWaits } from "./waits/page-waits.ts";
import { createWaits } from "./waits/waits.ts";
import type { Waits } from "./waits/wait.ts";

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

/** Starts a hub. Resolves when it listens; rejects with a named error if it cannot start. */
export async function createHub(hubOptions: HubOptions): Promise<Hub> {
  const resolved = resolveOptions(hubOptions);
  const { limits } = resolved;
  // Throws for an invalid policy: the hub does not start then.
  const firstPolicy = resolved.policy();
  const files = await loadStaticFiles({ assets: resolved.assets, fetchOrigins: resolved.shell.fetchOrigins ?? [] });
  const refusals = resolved.log && createRefusalLog(resolved.log);
  const note = createNote(refusals?.log);
  const metrics = createMetrics();
  const proxies = createProxies(resolved);
  const { clientOf, forwardedHost } = proxies;
  const report = createReport({ note, metrics, clientOf });
  const tracing = await loadTracing(note);
  // Loaded early: pages that reconnect all at once should not wait for it.
  if (resolved.jwt) await import("jose");
  const joining = resolved.cluster && (await loadCluster(resolved.cluster, resolved, note));
  const use = joining?.use;
  const given = joining?.options ?? resolved;
  const { server, port, url, demo, monitor, hubsKey, ...opened } = await openServer(given, report).catch(
    async (error: unknown) => {
      await joining?.close();
      throw error;
    },
  );
  const later = createLater(systemClock);
  const watched = watchStore(opened.store, { note, metrics, later, clock: systemClock });
  const store = joining?.store(watched, later) ?? watched;
  const options = withDemo(given, demo);
  const hosts = hostNames(port, options.publicHosts);
  const ownOrigins = ownOriginsOf(hosts, options);
  const clock = createHubClock();
  server.on("connection", clock.accepted);
  const audit = startAudit(options, { store, limits, note, clock, port, onLost: () => metrics.notSaved("audit") });
  metrics.onRefused(audit.refused);
  const { record } = audit;
  const ownWaits = createWaits({ record, key: hubsKey });
  const ownPages = createPageWaits(ownWaits);
  const origins = originWaits(options, { waits: ownWaits, review: () => reviewState() });
  const onOver = metrics.overBudget;
  const review = () => {
    sockets.review();
    doors.review();
  };
  const team =
    options.team &&
    (await loadTeam(options.team, {
      ...{ options, url, store, later, limits, note, record, onOver, report, clientOf, forwardedHost, review, use },
      onChanged: review,
      onNotSaved: () => metrics.notSaved("person"),
      onPolicy: () => reviewPolicy(),
    }));
  const policy = keepPolicy({
    ...{ first: firstPolicy, read: options.policy, now: clock.now, note, record, use },
    organisations: team?.organisations,
  });
  // The other hubs' policy may be another.
  policy.review();
  const allCredentials = createCredentials({
    ...{ options, team, ownOrigins, hubsKey, store, later, note, record, onOver },
    onNotSaved: metrics.notSaved,
    onEnded: review,
  });
  const credentials = joining ? joining.credentials(allCredentials) : allCredentials;
  const guard = createGuard({ hosts, ownOrigins, credentials, proxies, checkTokenForm: team?.checkTokenForm });
  const queues = createQueueBudget(limits, onOver, team?.ofBusiest);
  const arrivals = createArrivals(limits, onOver, queues);
  const enterShare = team?.shares.enter;
  const sockets = createSockets({
    ...{ limits, credentials, queues, arrivals, onRefused: report, onOver, clientOf, use, enterShare },
  });
  const newId = createCallIds();
  const { switchboard: own, pins } = createHubSwitchboard({
    ...{ options, clock, newId, store, later, audit, metrics, tracing },
    ...{ policy: policy.calls, waits: ownWaits, joining, shares: team?.shares },
  });
  const isOwn = (origin: string) => ownOrigins.has(origin);
  const alone = {
    ...{ switchboard: own, disconnected: new DisconnectedTabs(), cluster: undefined, homes: undefined },
    ...{ waits: ownWaits, pages: ownPages },
  };
  const { appSessions } = credentials;
  const { switchboard, cluster, ...shared } =
    joining?.join({ ...alone, appSessions, clock, limits, port, server, clientOf, isOwn, note, onOver }) ?? alone;
  const isStopping = () => running.isStopping;
  const door: Door = {
    ...{ switchboard, credentials, limits, newId, note, metrics, audit, queues, arrivals, tracing },
    ...{ ...shared, origins, cluster, enterShare },
    challenge: team?.challenge ?? plainChallenge,
    readTrace: (headers) => tracing?.current() ?? parseTrace(headers),
    refusal: () => (running.isRefusing ? stopping : undefined),
    policy: policy.calls,
  };
  const doors = createDoors(door, {
    ...{ options, team, store, later, clock, credentials, pins, policy, hubsKey, demoUrl: demo?.url },
    reviewState: () => reviewState(),
  });
  const recordChanges = watchState(options, audit);
  const renewCertificate = createRenewal(server, options.tls, note);
  const reviewPolicy = () => {
    switchboard.review();
    doors.windows.review();
  };
  const reviewState = () => {
    recordChanges();
    renewCertificate();
    if (policy.review()) switchboard.review();
    review();
    origins?.review();
    doors.windows.review();
    running.shells?.review();
  };
  const stopReviewing = options.onStateChange(reviewState);
  const stopReview = () => {
    stopReviewing();
    team?.close();
  };
  const running = new RunningHub({
    ...{ server, demo, clock, switchboard, sockets, doors, later, audit, store, note, limits, stopReview },
    ...{ joining, cluster, monitor },
    browsers: credentials.browsers,
    closeLog: () => refusals?.close(),
  });
  const { shells, terminals } = credentials;
  try {
    running.shells = createShells(door, { shell: options.shell, url, terminals, shells });
  } catch (error) {
    await running.close();
    throw error;
  }
  serve(server, {
    ...doors,
    ...{ store, guard, sockets, files, report, isStopping, policy, monitor },
    describeResource: team?.describeResource,
    shells: running.shells,
    proofs: credentials.proofs,
    returnTime: () => running.returnTime,
    isHandingOver: () => running.isHandingOver,
  });
  server.on("error", (error) => note("error", "server-failed", { message: error.message }));
  note("info", "hub-started", { port });
  if (options.insecure && !isLoopbackHost(options.host)) note("warn", "in-clear", { host: options.host });
  if (!files.hasScript) note("warn", "assets-missing", { folder: options.assets });
  return {
    ...{ url, port, demo: demo?.url, health: store.health },
    drain: () => running.drain(),
    close: () => running.close(),
  };
}

/** A hub alone loads none of this. */
async function loadCluster(cluster: ClusterOptions, options: ResolvedOptions, note: Note): Promise<Joining> {
  const { openCluster } = await import("./cluster/join-cluster.ts");
  return openCluster(cluster, options, note);
}

interface LoadedTeam extends Team {
  readonly createDoor: typeof createTeamDoor;
}

/** Hubs of other modes load none of this. */
async function loadTeam(team: ResolvedTeam, parts: Omit<TeamParts, "team">): Promise<LoadedTeam> {
  const [{ createTeam }, { createTeamDoor }] = await Promise.all([
    import("./team/team.ts"),
    import("./doors/team/team-door.ts"),
  ]);
  const loaded = createTeam({ team, ...parts });
  await loaded.load().catch(() => parts.later.add(loaded.load));
  return { ...loaded, createDoor: createTeamDoor };
}

/** Undefined for a hub without files to allow origins in; in jwt mode a token says whose pages are whose. */
function originWaits(
  { settings, allowedOrigins, jwt }: ResolvedOptions,
  { waits, review }: { readonly waits: Waits; readonly review: () => void },
): OriginWaits | undefined {
  if (!settings || jwt) return undefined;
  const allow = (origin: string) => {
    settings.allowOrigin(origin);
    review();
  };
  const isAllowed = (origin: string) => allowedOrigins().includes(origin);
  return createOriginWaits({ waits, principal: localPrincipal, isAllowed, allow });
}
