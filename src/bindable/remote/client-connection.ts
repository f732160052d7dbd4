// The one transport that a client has at a time, until it is lost: closed, failing to send, or without a sign of life.
import { missedHeartbeats } from "../../link/index.ts";
import type { Clock } from "../../link/index.ts";
import { messageOf } from "../../wire/index.ts";
import type { ClientMessage, ClientTransport, ServerMessage } from "./messages.ts";
import { lostError } from "./remote-error.ts";

export interface ClientConnection {
  readonly transport: ClientTransport | undefined;
  attach(next: ClientTransport): void;
  send(message: ClientMessage): void;
  /** Asks for signs of life from now on. */
  watch(): void;
  /** Lets go of the transport; false where there is none. */
  release(): boolean;
  /** The same with the reason; `isFinal` when reconnecting would not help. */
  lose(error: Error, isFinal?: boolean): boolean;
}

export interface ClientConnectionOptions {
  readonly clock: Clock;
  /** Milliseconds between two signs of life; 0 for none. */
  readonly heartbeat: number;
  readonly received: (message: ServerMessage) => void;
  readonly lost: (error: Error, isFinal: boolean) => void;
}

/** Close codes after which reconnecting is useless: policy violation, and another user's token. */
const finalCodes = [1008, 4403];

export function createClientConnection({
  clock,
  heartbeat,
  received,
  lost,
}: ClientConnectionOptions): ClientConnection {
  let transport: ClientTransport | undefined;
  let unanswered = 0;
  let stopBeat = () => {};

  function send(message: ClientMessage): void {
    try {
      transport?.send(message);
    } catch (error) {
      lose(lostError(`A message could not be sent: ${messageOf(error)}`));
    }
  }

  function release(): boolean {
    const old = transport;
    transport = undefined;
    stopBeat();
    old?.dispose?.();
    return old !== undefined;
  }

  function lose(error: Error, isFinal = false): boolean {
    const isLost = release();
    if (isLost) lost(error, isFinal);
    return isLost;
  }

  /** Counts heartbeats without a reply, not time: a hidden page's timers run late, and a sleeping one receives nothing. */
  function beat(): void {
    stopBeat = clock.after(heartbeat, () => {
      if (++unanswered > missedHeartbeats) return void lose(lostError("The server gave no sign of life in time."));
      beat();
      send({ type: "ping" });
    });
  }

  return {
    get transport() {
      return transport;
    },
    attach(next) {
      transport = next;
      next.onMessage((message) => {
        if (transport !== next) return;
        unanswered = 0;
        received(message);
      });
      next.onClose?.(({ code = 0, reason = "" } = {}) => {
        if (transport !== next) return;
        lose(
          lostError(`The connection was lost${reason && `: ${reason.replace(/\.$/, "")}`}.`),
          finalCodes.includes(code),
        );
      });
    },
    send,
    watch() {
      unanswered = 0;
      if (heartbeat > 0) beat();
    },
    release,
    lose,
  };
}
