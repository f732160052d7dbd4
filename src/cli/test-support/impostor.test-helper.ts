// Programs that listen at a hub's address but are not that hub. They record every byte that they receive.
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { WebSocketServer } from "ws";
import { endTogether } from "../../../test/support/end-together.ts";

export interface Impostor {
  readonly port: number;
  readonly url: string;
  /** Everything that it was sent. */
  received(): string;
  close(): void;
}

async function listen(server: Server, port: number): Promise<AddressInfo> {
  await once(server.listen(port, "127.0.0.1"), "listening");
  return server.address() as AddressInfo;
}

/** Records what it receives, and forwards it to another port of this machine. */
export async function startRelay(to: number, port = 0): Promise<Impostor> {
  const chunks: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(to, "127.0.0.1");
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on("close", () => sockets.delete(one));
    }
    endTogether(socket, onward);
    socket.on("data", (chunk) => chunks.push(chunk));
    const [own, theirs] = [socket.localPort, to].map((each) => `127.0.0.1:${each}`) as [string, string];
    socket.on("data", (chunk) => onward.write(chunk.toString("latin1").replaceAll(own, theirs), "latin1"));
    socket.on("end", () => onward.end());
    onward.pipe(socket);
  });
  const address = await listen(server, port);
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    received: () => Buffer.concat(chunks).toString("latin1"),
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Reports that it is healthy, as a hub does, and accepts everything. */
export async function startImpostor(port = 0): Promise<Impostor> {
  const server = createHttpServer((request, response) => {
    request.resume();
    request.on("end", () => response.end(request.url === "/healthz" ? "ok" : "{}"));
  });
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on("connection", (socket) => socket.on("message", () => socket.close()));
  const front = await startRelay((await listen(server, 0)).port, port);
  return {
    ...front,
    close() {
      front.close();
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      server.close();
    },
  };
}
