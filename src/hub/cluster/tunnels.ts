// Connections over the bus: one hub opens them, and the other serves them as if they had arrived there.
import { TunnelSocket } from "../http/tunnel-socket.ts";
import type { Message } from "../../wire/index.ts";
import type { Head, Post, Received } from "./messages.ts";

export interface TunnelsOptions {
  readonly id: string;
  readonly post: Post;
  /** Serves a connection that another hub has opened. */
  readonly accept: (socket: TunnelSocket) => void;
}

/** More connections between two hubs than this are refused. */
const maxTunnels = 20_000;

export class Tunnels {
  readonly #options: TunnelsOptions;
  readonly #sockets = new Map<string, TunnelSocket>();
  #opened = 0;

  constructor(options: TunnelsOptions) {
    this.#options = options;
  }

  open(hub: string): TunnelSocket {
    const { id, post } = this.#options;
    const name = `${id}-${++this.#opened}`;
    post({ hub, lane: name }, ["open", name]);
    return this.#create(name, hub);
  }

  receive({ kind, from, words: [name = "", count], body }: Received): void {
    if (kind === "open") return this.#accept(name, from);
    const socket = this.#sockets.get(name);
    if (socket?.hub !== from) {
      // This end is gone: the other need not wait.
      if (kind === "bytes") this.#options.post(from, ["cut", name]);
      return;
    }
    if (kind === "bytes") socket.receive(body);
    else if (kind === "taken") socket.gainRoom(Math.max(0, Number(count) || 0));
    else if (kind === "finish") socket.finished();
    else if (kind === "cut") socket.destroy();
  }

  /** Messages of this hub, or of all, may be lost: their connections are over. */
  lose(hub?: string): void {
    for (const socket of this.#sockets.values()) if (hub === undefined || socket.hub === hub) socket.destroy();
  }

  #accept(name: string, from: string): void {
    if (this.#sockets.has(name)) return;
    if (this.#sockets.size >= maxTunnels) return this.#options.post(from, ["cut", name]);
    this.#options.accept(this.#create(name, from));
  }

  #create(name: string, hub: string): TunnelSocket {
    const post = (head: Head, body?: Message) => this.#options.post({ hub, lane: name }, head, body);
    const socket = new TunnelSocket(hub, {
      bytes: (chunk) => post(["bytes", name], chunk),
      taken: (count) => post(["taken", name, count]),
      finish: () => post(["finish", name]),
      cut: () => {
        this.#sockets.delete(name);
        // The other end knows it, if both directions have ended.
        if (!socket.readableEnded || !socket.writableFinished) post(["cut", name]);
      },
    });
    socket.on("error", () => {});
    this.#sockets.set(name, socket);
    return socket;
  }
}
