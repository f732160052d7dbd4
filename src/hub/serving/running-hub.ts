// Stops a hub: at once, or when its calls have ended.
import type { Server } from "node:http";
import { systemClock } from "../../link/index.ts";
import type { Switchboard } from "../../switchboard/index.ts";
import { encodeFrame } from "../../wire/index.ts";
import type { Limits } from "../../wire/index.ts";
import type { Audit } from "../audit/audit.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Joining } from "../cluster/join-cluster.ts";
import type { Note } from "../common/log.ts";
import type { CoreDoor } from "../doors/core/core-door.ts";
import type { McpDoor } from "../doors/mcp/mcp-door.ts";
import type { Shells } from "../doors/shell/shells.ts";
import type { WindowDoor } from "../doors/window/window-door.ts";
import type { Browsers } from "../guard/browsers.ts";
import type { Sockets } from "../sockets/sockets.ts";
import type { Later, Store } from "../store/index.ts";
import type { HubClock } from "./hub-clock.ts";
import type { Opened } from "./open-server.ts";

/** Pages of a stopping hub reconnect at a random time in this window, in milliseconds, or a longer one if they are many. */
const goawayWindow = 5000;

const drainPollInterval = 50;

/** How long requests may be on their way to a hub that listens no more, in milliseconds. */
const arrivalTime = 500;

interface HubParts extends Pick<Opened, "demo" | "monitor"> {
  readonly server: Server;
  readonly clock: HubClock;
  readonly switchboard: Switchboard;
  readonly sockets: Sockets;
  readonly doors: {
    isAnswering(): boolean;
    readonly mcp: Pick<McpDoor, "endStreams" | "close">;
    readonly core: Pick<CoreDoor, "sendAway" | "close">;
    readonly windows: Pick<WindowDoor, "close">;
  };
  readonly browsers: Browsers;
  readonly joining: Joining | undefined;
  readonly cluster: Pick<Cluster, "carried" | "hasSuccessor" | "leave"> | undefined;
  readonly later: Later;
  readonly audit: Audit;
  readonly store: Store;
  readonly note: Note;
  readonly limits: Limits;
  readonly stopReview: () => void;
  readonly closeLog: () => void;
}

export class RunningHub {
  readonly #parts: HubParts;
  #closing: Promise<void> | undefined;
  isStopping = false;
  /** Whether new calls are refused: no other hub takes them. */
  isRefusing = false;
  /** Whether its clients are moving to other hubs, and new ones should go there. */
  get isHandingOver(): boolean {
    return this.isStopping && !this.isRefusing;
  }

  /** Undefined until they are mounted. */
  shells: Shells | undefined;

  constructor(parts: HubParts) {
    this.#parts = parts;
  }

  /** The window over which pages should spread their reconnects, in milliseconds. */
  get returnTime(): number {
    return Math.max(this.isStopping ? goawayWindow : 0, this.#parts.sockets.returnTime);
  }

  async drain(): Promise<void> {
    const { sockets, switchboard, doors, limits, cluster } = this.#parts;
    this.isStopping = true;
    const end = systemClock.now() + limits.drainTime;
    if (cluster?.hasSuccessor) await this.#handOver();
    this.isRefusing = true;
    sockets.broadcast(encodeFrame({ type: "goaway", within: this.returnTime }));
    const calls = () => switchboard.counts().callsInFlight + (cluster?.carried ?? 0);
    const isBusy = () => calls() > 0 || doors.isAnswering();
    while (isBusy() && systemClock.now() < end && !this.#closing) {
      if (cluster) doors.core.sendAway();
      await new Promise((resolve) => setTimeout(resolve, drainPollInterval));
    }
    await this.close();
  }

  /** Serves all that comes while clients move to other hubs, and until load balancers know that this one stops. */
  async #handOver(): Promise<void> {
    const { server, cluster, sockets, doors } = this.#parts;
    cluster?.leave();
    doors.mcp.endStreams();
    doors.core.sendAway();
    await sockets.moveAway();
    server.close();
    // A proxy that does not ask for readiness sends requests until then: what was on the way is still served.
    await new Promise((resolve) => setTimeout(resolve, arrivalTime));
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.isStopping = this.isRefusing = true;
    // Saved before the others know that this hub is gone: they go on with its conversations at once.
    if (this.#parts.joining) await this.#parts.doors.core.close();
    await new Promise<void>((resolve) => {
      const { server, demo, monitor, clock, switchboard, sockets, doors, note, stopReview, closeLog, joining } =
        this.#parts;
      stopReview();
      demo?.close();
      monitor?.close();
      monitor?.closeAllConnections();
      const left = joining?.close();
      switchboard.close();
      clock.close();
      const notified = doors.mcp.close();
      doors.windows.close();
      const saved = this.#save(notified);
      sockets.close();
      server.close(() => void Promise.all([saved, left]).then(() => resolve()));
      void notified.then(() => server.closeAllConnections());
      closeLog();
      note("info", "hub-stopped");
    });
  }

  /** Writes what is not saved yet, and closes the store. */
  async #save(notified: Promise<void>): Promise<void> {
    const { doors, browsers, later, audit, store, note } = this.#parts;
    await Promise.all([doors.core.close(), browsers.close(), this.shells?.close(), notified]);
    const [writes] = await Promise.all([later.close(), audit.close()]);
    if (writes > 0) note("error", "left-unsaved", { writes });
    await store.close();
  }
}
