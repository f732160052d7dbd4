// Handles each upgrade to a WebSocket: checks the host, finds the route, passes the guard, and calls the route's door. A refused
// socket is accepted first, because a browser hides the reason of a failed upgrade.
import type { IncomingMessage, Server } from "node:http";
import { createChannels, systemClock, watchEnd } from "../../link/index.ts";
import type { Link } from "../../link/index.ts";
import { PagewireError, cutOff } from "../../wire/index.ts";
import { createTurns } from "../backpressure/turns.ts";
import { serveAgent } from "../doors/agent-socket.ts";
import type { CoreDoor, CoreGuest } from "../doors/core/core-door.ts";
import type { Door } from "../doors/door.ts";
import type { Shells } from "../doors/shell/shells.ts";
import { createWatchers } from "../doors/watchers.ts";
import type { WindowDoor } from "../doors/window/window-door.ts";
import { protocolTab } from "../guard/guard.ts";
import type { Guard, Passed } from "../guard/guard.ts";
import { pathOf } from "../http/exchange.ts";
import { passedFor } from "../http/tunnel-socket.ts";
import { refuseUpgrade } from "../http/respond.ts";
import { findUpgrade, windowPath } from "../http/routes.ts";
import type { Admitted } from "../identity/admitted.ts";
import { homeOf } from "../store/index.ts";
import { closeWith, refuse } from "../sockets/closing.ts";
import { servePage } from "../sockets/page-socket.ts";
import type { PageSocketOptions } from "../sockets/page-socket.ts";
import type { Accepted, Sockets, Upgrade } from "../sockets/sockets.ts";
import type { KnownRequest, Report } from "../common/report.ts";

export interface UpgradeOptions {
  readonly guard: Guard;
  readonly sockets: Sockets;
  readonly door: Door;
  readonly core: CoreDoor;
  readonly windows: WindowDoor;
  readonly shells: Shells;
  readonly isStopping: () => boolean;
  /** Whether clients of this hub are moving to others. */
  readonly isHandingOver: () => boolean;
  /** The window over which pages should spread their reconnects, in milliseconds. */
  readonly returnTime: () => number;
  readonly report: Report;
}

export function serveUpgrades(server: Server, options: UpgradeOptions): void {
  const upgrades = new Upgrades(options);
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const about: KnownRequest = { request };
    upgrades.serve({ request, socket, head }, about).catch((error: unknown) => {
      options.report(error, about);
      refuseUpgrade(socket, error, options.door.challenge);
    });
  });
}

class Upgrades {
  readonly #options: UpgradeOptions;
  readonly #pageOptions: PageSocketOptions;
  readonly #agentOptions: Omit<Parameters<typeof serveAgent>[2], "known">;

  constructor(options: UpgradeOptions) {
    const { door, returnTime, isHandingOver } = options;
    this.#options = options;
    this.#pageOptions = { ...door, now: systemClock.now, returnTime, isHandingOver, takeTurn: createTurns() };
    this.#agentOptions = { ...door, watchers: createWatchers({ clock: systemClock, limits: door.limits }) };
  }

  async serve(upgrade: Pick<Upgrade, "request" | "socket" | "head">, about: KnownRequest): Promise<void> {
    const { guard, sockets, isHandingOver } = this.#options;
    const { request } = upgrade;
    guard.checkHost(request);
    const route = findUpgrade(request);
    about.route = route.path;
    // Proxies and pages try another hub then.
    if (route.serves === "page" && isHandingOver()) throw goingAway();
    const passed = await guard.pass(request, route);
    const { admitted, refusal } = passed;
    about.admitted = admitted;
    // Only this hub sees the client's own connection.
    const hub = refusal ? undefined : await this.#elsewhere(route.serves, request, admitted);
    if (hub !== undefined) return this.#options.door.cluster?.others.passUpgrade(hub, upgrade);
    const speaksWire = route.serves === "page" || route.serves === "agent";
    const accepted = await sockets.accept({
      ...upgrade,
      isKnown: admitted !== undefined,
      gathers: route.serves !== "agent",
      turnAway: speaksWire ? refuse : closeWith,
    });
    if (route.serves === "core") return this.#serveCore(accepted, passed, request);
    if (route.serves === "window") return this.#serveWindow(accepted, passed, about);
    if (route.serves === "shell") return this.#serveShell(accepted, passed);
    const { link, known } = accepted;
    if (refusal) return this.#turnAway(link, refusal, { about, send: refuse });
    if (route.serves === "agent") return serveAgent(link, { admitted, request }, { ...this.#agentOptions, known });
    this.#servePages(accepted, passed.origin);
  }

  #servePages({ link, hasChannels, known, expectHello }: Accepted, origin: string | undefined): void {
    if (!hasChannels) return servePage(link, { origin, known, via: "socket" }, this.#pageOptions);
    // For its pages, a shared socket always ends as a lost connection: its worker may have been stopped, and the pages
    // reconnect through another.
    const shared = watchEnd(link, () => cutOff);
    createChannels(shared, {
      limits: this.#options.door.limits,
      onChannel: (channel) => {
        const pending = expectHello(channel);
        const watched = watchEnd(channel, (reason) => {
          pending.closed();
          return reason;
        });
        servePage(watched, { origin, known: pending.known, via: "shared-socket" }, this.#pageOptions);
      },
    });
  }

  #serveCore(
    { link, known }: Accepted,
    { admitted, refusal, isPage = false, origin }: Passed,
    request: IncomingMessage,
  ): void {
    const { core } = this.#options;
    if (!admitted) return core.refuse(link, refusal ?? tokenRequired(), origin);
    const entered = this.#enter(link, () => known(admitted, link));
    if (entered)
      core.serve(entered, { admitted, isPage, origin, tab: protocolTab(request), passOn: this.#passOn(request) });
  }

  /** Passes a client on to another hub, once. */
  #passOn(request: IncomingMessage): CoreGuest["passOn"] {
    const { cluster, limits } = this.#options.door;
    if (!cluster || passedFor(request) !== undefined) return undefined;
    return (hub, link) => cluster.others.passMessages(hub, { request, link, limits });
  }

  /** The other hub where a shell runs, or a window's conversation lives; undefined if it is served here. */
  async #elsewhere(
    serves: string,
    request: IncomingMessage,
    admitted: Admitted | undefined,
  ): Promise<string | undefined> {
    if (serves === "shell") return this.#options.shells.hubOf(request);
    const { homes } = this.#options.door;
    if (serves !== "window" || !homes || !admitted || passedFor(request) !== undefined) return undefined;
    return homes.elsewhere(homeOf({ principal: admitted.principal, id: sessionOf(request) }));
  }

  #serveWindow({ link, known }: Accepted, { admitted, refusal }: Passed, about: KnownRequest): void {
    if (!admitted) return this.#turnAway(link, refusal ?? tokenRequired(), { about, send: closeWith });
    const entered = this.#enter(link, () => known(admitted, link));
    if (entered) this.#options.windows.serve(entered, sessionOf(about.request), admitted);
  }

  #serveShell({ link, known }: Accepted, { origin, refusal }: Passed): void {
    const { shells, isStopping } = this.#options;
    const problem = refusal ?? (isStopping() ? goingAway() : undefined);
    if (problem) shells.refuse(link, problem, origin);
    else shells.serve({ link, origin, known });
  }

  /** Registers an authenticated client until its link ends; undefined if its principal has too many sockets. */
  #enter(link: Link, known: () => () => void): Link | undefined {
    try {
      const leave = known();
      return watchEnd(link, (reason) => {
        leave();
        return reason;
      });
    } catch (error) {
      if (!PagewireError.isInstance(error)) throw error;
      this.#turnAway(link, error, { send: closeWith });
      return undefined;
    }
  }

  #turnAway(
    link: Link,
    error: PagewireError,
    { about, send }: { readonly about?: KnownRequest; readonly send: typeof refuse },
  ): void {
    this.#options.report(error, about);
    link.start({ message: () => {}, closed: () => {} });
    send(link, error);
  }
}

/** The session in the path of a window's socket. */
function sessionOf(request: IncomingMessage): string {
  return pathOf(request).slice(windowPath.length);
}

function tokenRequired(): PagewireError {
  return new PagewireError("token-required", "A credential is needed.");
}

function goingAway(): PagewireError {
  return new PagewireError("going-away", "The hub is stopping. Try again in a moment.");
}
