// A load balancer without sticky sessions: each connection goes to the next server that takes it, and to none that said
// at its last check that it is not ready.
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

export interface Balancer {
  readonly port: number;
  /** Cuts every connection. */
  reset(): void;
  close(): Promise<void>;
}

export interface BalancerOptions {
  /** How often the servers are asked whether they are ready, in milliseconds; never by default. */
  readonly checks?: number;
}

export async function startBalancer(ports: readonly number[], { checks }: BalancerOptions = {}): Promise<Balancer> {
  let next = 0;
  const open = new Set<Socket>();
  const unready = new Set<number>();

  async function check(port: number): Promise<void> {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer?.ok ?? true) unready.delete(port);
    else unready.add(port);
  }

  const checking = checks && setInterval(() => ports.forEach((port) => void check(port)), checks);

  function choose(): number | undefined {
    const turn = ports.map((_, at) => ports[(next + at) % ports.length] ?? 0);
    const port = turn.find((each) => !unready.has(each)) ?? turn[0];
    next = ports.indexOf(port ?? 0) + 1;
    return port;
  }

  function serve(client: Socket, tries: number): void {
    const port = choose();
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
      clearInterval(checking);
      reset();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
