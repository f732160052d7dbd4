// Two ends of tunnels in one process: what the front opens arrives at the home.
import type { TunnelSocket } from "../http/tunnel-socket.ts";
import type { Message } from "../../wire/index.ts";
import type { Head } from "./messages.ts";
import { Tunnels } from "./tunnels.ts";

export interface TunnelPair {
  /** A connection to the home. */
  open(): TunnelSocket;
  /** Nothing gets through any more: both lose the other. */
  lose(): void;
}

export function createTunnelPair(accept: (socket: TunnelSocket) => void): TunnelPair {
  const postTo =
    (to: () => Tunnels, from: string) =>
    (_: unknown, [kind, ...words]: Head, body: Message = "") => {
      queueMicrotask(() =>
        to().receive({ kind, from, at: 0, number: 0, words: words.map(String), body: Buffer.from(body) }),
      );
    };
  const there: Tunnels = new Tunnels({ id: "home", post: postTo(() => here, "home"), accept });
  const here: Tunnels = new Tunnels({ id: "front", post: postTo(() => there, "front"), accept: () => {} });
  return {
    open: () => here.open("home"),
    lose() {
      here.lose();
      there.lose();
    },
  };
}
