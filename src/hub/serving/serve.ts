// Handles each request and upgrade: checks the host, finds the route, passes the guard, and calls the route's door.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createChannels, systemClock } from "../../link/index.ts";
import type { Link } from "../../link/index.ts";
import { PagewireError, cutOff } from "../../wire/index.ts";
import type { CloseReason } from "../../wire/index.ts";
import { closeWith, refuse } from "../sockets/closing.ts";
import { serveAgent } from "../doors/agent-socket.ts";
import { createWatchers } from "../doors/watchers.ts";
import type { OwnDoor } from "../doors/own/own-door.ts";
import type { CoreDoor } from "../doors/core/core-door.ts";
import type { DelegateDoor } from "../doors/delegate/delegate-door.ts";
import type { TerminalsDoor } from "../doors/delegate/terminals-door.ts";
import type { Door } from "../doors/door.ts";
import type { HttpCallDoor } from "../doors/http-call.ts";
import type { McpDoor } from "../doors/mcp/mcp-door.ts";
import type { Shells } from "../doors/shell/shells.ts";
import type { WindowDoor } from "../doors/window/window-door.ts";
import { protocolTab } from "../guard/guard.ts";
import type { Guard, Passed } from "../guard/guard.ts";
import type { HubProofs } from "../identity/hub-proofs.ts";
import { refuseUpgrade, respondError, respondText } from "../http/respond.ts";
import type { TextAnswer } from "../http/respond.ts";
import { pathOf } from "../http/exchange.ts";
import type { StaticFiles } from "../http/static-files.ts";
import { noteRefusedPage } from "../guard/note-refused-page.ts";
import { servePage } from "../sockets/page-socket.ts";
import { findRoute, findUpgrade, isDelegatePath, windowPath } from "../http/routes.ts";
import type { ServedByRequest } from "../http/routes.ts";
import type { Sockets, Upgrade } from "../sockets/sockets.ts";
import type { KeptPolicy } from "../reload/keep-policy.ts";
import { createTurns } from "../backpressure/turns.ts";
import { reasonWords } from "../store/index.ts";
import type { Store, StoreHealth } from "../store/index.ts";

export interface ServeOptions {
  readonly guard: Guard;
  readonly proofs: HubProofs;
  readonly sockets: Sockets;
  readonly door: Door;
  readonly store: Pick<Store, "health">;
  readonly httpCalls: HttpCallDoor;
  readonly mcp: McpDoor;
  readonly delegate: DelegateDoor;
  readonly makeTerminals: TerminalsDoor;
  readonly core: CoreDoor;
  readonly own: OwnDoor;
  readonly windows: WindowDoor;
  readonly shells: Shells;
  readonly files: StaticFiles;
  /** The origins whose pages may currently open the agent's window. */
  readonly parents: () => readonly string[];
  /** The demo's address for this client, if it is served. */
  readonly demo: (request: IncomingMessage) => string | undefined;
  readonly isStopping: () => boolean;
  /** The window over which pages should spread their reconnects, in milliseconds. */
  readonly returnTime: () => number;
  /** The client's address. */
  readonly clientOf: (request: IncomingMessage) => string;
  readonly policy: Pick<KeptPolicy, "isRefused">;
  readonly report: Report;
}

/** Logs and counts a refusal or failure, with what is known of the request. */
export type Report = (error: unknown, about?: Asked) => void;

interface Asked {
  readonly address: string;
  /** As in the table of routes. */
  readonly route?: string | undefined;
  readonly principal?: string | undefined;
}

/** Filled in while a request is processed. */
interface Known {
  route?: string;
  admitted?: Passed["admitted"];
}

type Upgrading = Pick<Upgrade, "request" | "socket" | "head">;

interface TurnAway {
  readonly asked?: Asked;
  readonly tell?: typeof refuse;
}

type Answer = (request: IncomingMessage, response: ServerResponse, passed: Passed) => void | Promise<void>;

export function serve(server: Server, options: ServeOptions): void {
  const { guard, sockets, door, core, windows, shells, isStopping, clientOf, report } = options;
  const answers = answersOf(options);
  const { returnTime } = options;
  const pageOptions = { ...door, now: systemClock.now, returnTime, takeTurn: createTurns() };
  const watchers = createWatchers({ clock: systemClock, limits: door.limits });

  /** Programs that were written for another bridge read errors in its form. */
  function respondFailure(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const isOurHost = !PagewireError.isInstance(error) || error.code !== "host-refused";
    if (isOurHost && isDelegatePath(pathOf(request))) return options.delegate.refuse(response, error);
    respondError(response, error);
  }

  async function upgrade({ request, socket, head }: Upgrading, asked: Known): Promise<void> {
    guard.checkHost(request);
    const route = findUpgrade(request);
    asked.route = route.path;
    const passed = await guard.pass(request, route);
    const { origin, admitted } = passed;
    asked.admitted = admitted;
    if (route.serves === "core") return upgradeToCore({ request, socket, head }, passed);
    if (route.serves === "window") return upgradeToWindow({ request, socket, head }, passed);
    if (route.serves === "shell") return upgradeToShell({ request, socket, head }, passed);
    const { link, hasChannels, known, expectHello } = await sockets.accept({
      request,
      socket,
      head,
      isKnown: admitted !== undefined,
      gathers: route.serves === "page",
    });
    if (passed.refusal) return turnAway(link, passed.refusal, { asked: about(request, asked) });
    if (route.serves === "agent") return serveAgent(link, admitted, { ...door, known, watchers });
    if (!hasChannels) return servePage(link, { origin, known }, pageOptions);
    // For its pages, a shared socket always ends as a lost connection: its worker may have been stopped, and the pages
    // reconnect through another.
    createChannels(
      onEnd(link, () => cutOff),
      {
        limits: door.limits,
        onChannel(channel) {
          const newcomer = expectHello(channel);
          const heard = onEnd(channel, (reason) => {
            newcomer.gone();
            return reason;
          });
          servePage(heard, { origin, known: newcomer.known }, pageOptions);
        },
      },
    );
  }

  async function upgradeToCore(upgraded: Omit<Upgrade, "gathers" | "isKnown">, passed: Passed): Promise<void> {
    const { admitted, refusal, isPage = false, origin } = passed;
    const isKnown = admitted !== undefined;
    const { link, known } = await sockets.accept({ ...upgraded, isKnown, gathers: true, turnAway: closeWith });
    if (!admitted) return core.refuse(link, refusal ?? tokenRequired(), origin);
    const watched = enter(link, () => known(admitted, link));
    if (!watched) return;
    core.serve(watched, { admitted, isPage, origin, tab: protocolTab(upgraded.request) });
  }

  async function upgradeToWindow(upgraded: Upgrading, { admitted, refusal }: Passed): Promise<void> {
    const isKnown = admitted !== undefined;
    const { link, known } = await sockets.accept({ ...upgraded, isKnown, gathers: true, turnAway: closeWith });
    if (!admitted)
      return turnAway(link, refusal ?? tokenRequired(), {
        asked: about(upgraded.request, { route: `${windowPath}*` }),
        tell: closeWith,
      });
    const watched = enter(link, () => known(admitted, link));
    if (!watched) return;
    windows.serve(watched, pathOf(upgraded.request).slice(windowPath.length), admitted);
  }

  /** Registers an authenticated client until its link ends; undefined if its principal has too many sockets. */
  function enter(link: Link, known: () => () => void): Link | undefined {
    try {
      const leave = known();
      return onEnd(link, (reason) => {
        leave();
        return reason;
      });
    } catch (error) {
      if (!PagewireError.isInstance(error)) throw error;
      turnAway(link, error, { tell: closeWith });
      return undefined;
    }
  }

  async function upgradeToShell(
    upgraded: Omit<Upgrade, "gathers" | "isKnown">,
    { origin, refusal }: Passed,
  ): Promise<void> {
    const { link, known } = await sockets.accept({ ...upgraded, isKnown: false, gathers: true, turnAway: closeWith });
    const problem = refusal ?? (isStopping() ? goingAway() : undefined);
    if (problem) shells.refuse(link, problem, origin);
    else shells.serve({ link, origin, known });
  }

  function about(request: IncomingMessage, { route, admitted }: Known): Asked {
    return { address: clientOf(request), route, principal: admitted?.principal };
  }

  function turnAway(link: Link, error: PagewireError, { asked, tell = refuse }: TurnAway): void {
    report(error, asked);
    link.start({ message: () => {}, closed: () => {} });
    tell(link, error);
  }

  server.on("request", (request, response) => {
    const known: Known = {};
    const fail = (error: unknown) => {
      report(error, about(request, known));
      respondFailure(request, response, error);
    };
    try {
      guard.checkHost(request);
      const route = findRoute(request);
      known.route = route.path;
      const goOn = (found: Passed) => {
        known.admitted = found.admitted;
        return answers[route.serves](request, response, found);
      };
      const passed = guard.pass(request, route);
      // A promise only if something has to be awaited.
      const answered = passed instanceof Promise ? passed.then(goOn) : goOn(passed);
      answered?.catch(fail);
    } catch (error) {
      fail(error);
    }
  });
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const known: Known = {};
    upgrade({ request, socket, head }, known).catch((error: unknown) => {
      report(error, about(request, known));
      refuseUpgrade(socket, error);
    });
  });
  server.on("clientError", (_, socket) => socket.destroy());
}

/** Wraps a link: `ended` runs before its listener, and returns the reason to pass on. */
function onEnd(link: Link, ended: (reason: CloseReason) => CloseReason): Link {
  return {
    get open() {
      return link.open;
    },
    get queuedBytes() {
      return link.queuedBytes;
    },
    send: link.send,
    close: link.close,
    start: ({ message, closed }) => link.start({ message, closed: (reason) => closed(ended(reason)) }),
  };
}

function answersOf(options: ServeOptions): Record<ServedByRequest, Answer> {
  const { door, files, httpCalls, mcp, core, own, windows, parents, demo, isStopping, shells } = options;
  const { delegate, makeTerminals, store, proofs, policy } = options;
  const { credentials, metrics, switchboard } = door;
  return {
    files: (request, response) =>
      files.serve(request, response, {
        parents,
        demo: demo(request),
        hasTerminals: shells.isOn,
        mayImport(origin) {
          if (!credentials.isHopeless(origin)) return true;
          noteRefusedPage(door, "origin-not-allowed", origin);
          return false;
        },
      }),
    health: (_, response) => respondText(response, { text: "ok\n" }),
    readiness: (request, response) =>
      respondText(
        response,
        readiness(request, { isStopping: isStopping(), health: store.health(), isPolicyRefused: policy.isRefused }),
      ),
    metrics: (_, response) =>
      respondText(response, {
        text: metrics.text({
          ...switchboard.counts(),
          conversations: core.conversations,
          answers: core.open,
          isStoreOk: store.health().isOk,
        }),
        type: "text/plain; version=0.0.4",
      }),
    proof: async (request, response) =>
      respondText(response, { text: JSON.stringify(await proofs.answer(request)), type: "application/json" }),
    call: httpCalls.serve,
    own: own.serve,
    "window-tools": windows.serveTools,
    mcp: mcp.serve,
    delegate: delegate.serve,
    terminals: makeTerminals.serve,
  };
}

function tokenRequired(): PagewireError {
  return new PagewireError("token-required", "A credential is needed.");
}

function goingAway(): PagewireError {
  return new PagewireError("going-away", "The hub is stopping. Try again in a moment.");
}

interface HubStanding {
  readonly isStopping: boolean;
  /** The store's health. */
  readonly health: StoreHealth;
  readonly isPolicyRefused: boolean;
}

/**
 * Whether calls are accepted. A hub that cannot save still accepts them, and adds a line about it; with `?store` it
 * then counts as not ready. A hub with an invalid policy file continues with the previous policy.
 */
function readiness(
  request: IncomingMessage,
  { isStopping, health: { isOk, reason }, isPolicyRefused }: HubStanding,
): TextAnswer {
  if (isStopping) return { text: "stopping\n", status: 503 };
  const unsaved = isOk ? "" : `nothing can be saved${reasonWords(reason)}\n`;
  const policy = isPolicyRefused ? "the policy file cannot be used: the policy before it holds\n" : "";
  const needsStore = !isOk && new URL(request.url ?? "/", "http://hub").searchParams.has("store");
  const answer = { text: `${needsStore ? "not ready" : "ready"}\n${unsaved}${policy}` };
  return needsStore ? { ...answer, status: 503 } : answer;
}
