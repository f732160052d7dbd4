// A server and its clients, for tests of the data on the socket between them.
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";

export const megabyte = 1024 * 1024;

/** A request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface TestServer {
  readonly port: number;
  /** The next incoming request. */
  next(): Promise<Exchange>;
}

/** A server whose requests are answered by the test; it is closed after the test. */
export async function startServer(): Promise<TestServer> {
  const came: Exchange[] = [];
  const news = new EventEmitter();
  const server = createServer((request, response) => {
    request.resume();
    came.push({ request, response });
    news.emit("came");
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const next = async (): Promise<Exchange> => {
    if (came.length === 0) await once(news, "came");
    return came.shift() ?? next();
  };
  return { port: (server.address() as AddressInfo).port, next };
}

/** A client that reads only when the test makes it. */
export async function connectClient(
  server: TestServer,
  lines = "GET /mcp HTTP/1.1\r\nHost: hub\r\n\r\n",
): Promise<Socket> {
  const client = connect(server.port, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  client.on("error", () => {});
  await once(client, "connect");
  client.pause();
  client.write(lines);
  return client;
}

/** Everything that a client receives until its connection ends. */
export async function readAll(client: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  client.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(client.resume(), "close");
  return Buffer.concat(chunks).toString();
}

/** Resolves when a client has received matching data. */
export async function readUntil(client: Socket, wanted: RegExp): Promise<string> {
  let got = "";
  client.resume();
  while (!wanted.test(got)) got += String((await once(client, "data"))[0]);
  return got;
}
