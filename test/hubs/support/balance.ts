// A load balancer without sticky sessions: each connection goes to the next server that takes it.
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

export interface Balancer {
  readonly port: number;
  /** Cuts every connection. */
  reset(): void;
  close(): Promise<void>;
}

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  let next = 0;
  const open = new Set<Socket>();

  function serve(client: Socket, tries: number): void {
    const port = ports[next++ % ports.length];
    if (tries === 0 || port === undefined) return void client.destroy();
    const server = connect(port, "127.0.0.1");
    const retry = () => serve(client, tries - 1);
    server.once("error", retry);
    server.once("connect", () => {
      server.off("error", retry);
      for (const socket of [client, server]) {
        open.add(socket);
        socket.on("error", () => socket.destroy());
        socket.on("close", () => {
          open.delete(socket);
          client.destroy();
          server.destroy();
        });
      }
      client.pipe(server).pipe(client);
    });
  }

  function reset(): void {
    for (const socket of open) socket.destroy();
  }

  const server = createServer((client) => {
    client.on("error", () => client.destroy());
    serve(client, ports.length);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    reset,
    async close() {
      reset();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
