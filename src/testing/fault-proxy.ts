// A TCP proxy that breaks connections as networks do, in front of a test's server.
// It knows only bytes and connections, and no protocol.
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { PagewireError } from "../wire/index.ts";
import { carryBytes, resetSocket } from "./fault-lane.ts";
import type { LaneFaults } from "./fault-lane.ts";

/** A direction through the proxy. */
export type Direction = "toTarget" | "toClient";

/** A proxy whose faults can change while connections are open; they apply to new ones too. */
export interface FaultProxy {
  readonly port: number;
  /** The number of clients connected through it. */
  readonly connections: number;
  /**
   * Stops one direction, or both, and notifies neither side: the connection is half-open.
   * `hold` keeps the bytes for resume(), `drop` loses them. A side that closes in the meantime is noticed after resume().
   */
  pause(direction?: Direction, mode?: "hold" | "drop"): void;
  resume(): void;
  /** Ends every open connection with a TCP reset on both sides. */
  reset(): void;
  /** Resets new connections as soon as they are made, until it is called with false. */
  refuse(refusing: boolean): void;
  /** Delays all bytes from now on, each way. */
  setLatency(milliseconds: number): void;
  /** Limits each connection to this many bytes per second each way; Infinity lifts the limit. */
  setRate(bytesPerSecond: number): void;
  /** Resets open connections and stops listening. */
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly target: Socket;
  readonly pumps: readonly (() => void)[];
}

/** Starts a proxy on a free port of 127.0.0.1 that forwards each connection to the target. */
export async function createFaultProxy(options: { target: { host: string; port: number } }): Promise<FaultProxy> {
  const faults: Record<Direction, LaneFaults> = { toTarget: noFaults(), toClient: noFaults() };
  const bothWays = Object.values(faults);
  const pairs = new Set<Pair>();
  let refusing = false;

  function carry(client: Socket): void {
    if (refusing) return void client.resetAndDestroy();
    const target = connect({ ...options.target, allowHalfOpen: true, noDelay: true });
    const pumps = [carryBytes(client, target, faults.toTarget), carryBytes(target, client, faults.toClient)];
    const pair = { client, target, pumps };
    pairs.add(pair);
    for (const socket of [client, target]) {
      // A closed side is kept until the other side was notified.
      socket.on("close", () => client.closed && target.closed && pairs.delete(pair));
    }
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, carry);
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  function pumpAll(): void {
    for (const { pumps } of pairs) for (const pump of pumps) pump();
  }

  function reset(): void {
    for (const { client, target } of pairs) {
      resetSocket(client);
      resetSocket(target);
    }
  }

  return {
    port,
    get connections() {
      return pairs.size;
    },
    pause(direction, mode = "hold") {
      for (const lane of direction === undefined ? bothWays : [faults[direction]]) lane.paused = mode;
      pumpAll();
    },
    resume() {
      for (const lane of bothWays) lane.paused = undefined;
      pumpAll();
    },
    reset,
    refuse(value) {
      refusing = value;
    },
    setLatency(milliseconds) {
      for (const lane of bothWays) lane.latency = milliseconds;
    },
    setRate(bytesPerSecond) {
      if (!(bytesPerSecond > 0)) {
        throw new PagewireError(
          "options-invalid",
          `The rate ${bytesPerSecond} is not above zero. To let nothing through, pause the proxy.`,
        );
      }
      for (const lane of bothWays) lane.bytesPerSecond = bytesPerSecond;
    },
    async close() {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      reset();
      await closed;
    },
  };
}

function noFaults(): LaneFaults {
  return { paused: undefined, latency: 0, bytesPerSecond: Infinity };
}
