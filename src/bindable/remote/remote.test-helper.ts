import { createFakeClock } from "../../testing/index.ts";
import type { FakeClock } from "../../testing/index.ts";
import { bind } from "../bind.ts";
import { ChatCore } from "./chat-core.test-helper.ts";
import { connectRemoteCore } from "./connect-engine.ts";
import type { ConnectRemoteCoreOptions, RemoteCore } from "./connect-engine.ts";
import { createFakeSockets, createLogger } from "./fake-sockets.test-helper.ts";
import type { FakeSockets } from "./fake-sockets.test-helper.ts";
import { createShellSessions } from "./shell-sessions.ts";
import type { ShellSessions, ShellSessionsOptions } from "./shell-sessions.ts";
import { WebSocketServerTransport } from "./web-socket-server-transport.ts";

export interface Served {
  readonly clock: FakeClock;
  readonly core: ChatCore;
  readonly cores: readonly ChatCore[];
  readonly closed: readonly string[];
  readonly opened: readonly (readonly [string | undefined, string])[];
  readonly sockets: readonly FakeSockets[];
  readonly sessions: ShellSessions;
  readonly lines: readonly string[];
  /** Whether the next frame, in whichever direction, gets through. */
  frames: () => boolean;
  connect(options?: Partial<ConnectRemoteCoreOptions> & { readonly principal?: string }): RemoteCore;
}

/** Sessions of ChatCores, and clients that connect to them. */
export function serveChat(options: Partial<ShellSessionsOptions> = {}): Served {
  const clock = createFakeClock();
  const logger = createLogger();
  const core = new ChatCore();
  const cores: ChatCore[] = [];
  const closed: string[] = [];
  const opened: [string | undefined, string][] = [];
  const sockets: FakeSockets[] = [];
  const sessions = createShellSessions({
    clock,
    logger,
    async open(session, principal) {
      opened.push([session, principal]);
      const id = session ?? `session-${cores.length + 1}`;
      const made = cores.length === 0 ? core : new ChatCore();
      cores.push(made);
      return { id, core: made, close: () => closed.push(id) };
    },
    ...options,
  });
  const served: Served = {
    clock,
    core,
    cores,
    closed,
    opened,
    sockets,
    sessions,
    lines: logger.lines,
    frames: () => true,
    connect: ({ principal = "ada", ...more } = {}) =>
      connectRemoteCore(ChatCore.wcBindable, {
        clock,
        logger,
        random: () => 1,
        heartbeat: 0,
        connect() {
          const pair = createFakeSockets(() => served.frames());
          sockets.push(pair);
          sessions.attach(new WebSocketServerTransport(pair.server, { logger }), principal);
          queueMicrotask(pair.open);
          return pair.client;
        },
        ...more,
      }),
  };
  return served;
}

/** Every update that a bound observer gets. */
export function record(target: object): [string, unknown][] {
  const updates: [string, unknown][] = [];
  bind(target, (name, value) => updates.push([name, value]));
  return updates;
}
