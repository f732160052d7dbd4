import { once } from "node:events";
import { createServer, get } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { isPassedOwn, TunnelSocket, passedFor, tunnelWindow } from "../http/tunnel-socket.ts";
import { passRequest, passUpgrade } from "./pass-on.ts";
import { createTunnelPair } from "./tunnels.test-helper.ts";

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

interface Pair {
  readonly url: string;
  readonly home: Server;
  /** The connections that the home has accepted. */
  readonly accepted: readonly TunnelSocket[];
  /** Nothing gets through any more: both lose the other. */
  readonly lose: () => void;
}

const about = { client: "192.0.2.1", isOwn: false };

/** A front whose every request is served at the home, by `serve`; it is passed on once the front is `ready`. */
async function startPair(
  serve: Serve,
  ready: (response: ServerResponse) => Promise<unknown> = async () => {},
): Promise<Pair> {
  const home = createServer(serve);
  const accepted: TunnelSocket[] = [];
  const tunnels = createTunnelPair((socket) => {
    accepted.push(socket);
    home.emit("connection", socket);
  });
  const front = createServer((request, response) => {
    void ready(response).then(() => passRequest({ tunnel: tunnels.open(), request, about }, response));
  });
  front.on("upgrade", (request, socket, head) => passUpgrade({ tunnel: tunnels.open(), request, about }, socket, head));
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  onTestFinished(() => {
    front.closeAllConnections();
    front.close();
    home.close();
  });
  const { port } = front.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    home,
    accepted,
    lose: tunnels.lose,
  };
}

test("MH24: a request that is passed on has its method, path, headers and body, and so has its answer", async () => {
  const seen: unknown[] = [];
  const { url } = await startPair((request, response) => {
    void text(request).then((body) => {
      const { method, url: path, headers } = request;
      seen.push({
        method,
        path,
        own: headers["x-own"],
        host: headers.host,
        client: passedFor(request),
        isOwn: isPassedOwn(request),
        body: body.length,
      });
      response.writeHead(201, { "Set-Cookie": ["a=1", "b=2"], "X-Answer": "yes" }).end("é".repeat(500_000));
    });
  });
  const body = "x".repeat(3_000_000);
  const headers = { "X-Own": "own", "X-Pagewire-Client": "203.0.113.9", "X-Pagewire-Own": "1" };
  const answer = await fetch(`${url}/some/path?and=query`, { method: "POST", body, headers });
  expect([answer.status, answer.headers.getSetCookie(), answer.headers.get("x-answer")]).toEqual([
    201,
    ["a=1", "b=2"],
    "yes",
  ]);
  expect(await answer.text()).toBe("é".repeat(500_000));
  const path = "/some/path?and=query";
  const host = new URL(url).host;
  expect(seen).toEqual([
    { method: "POST", path, own: "own", host, client: "192.0.2.1", isOwn: false, body: body.length },
  ]);
});

test("a client that is no hub cannot say for whom its request is passed on", async () => {
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    seen.push(passedFor(request));
    response.end();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { headers: { "X-Pagewire-Client": "x" } });
  expect(seen).toEqual([undefined]);
});

test("a stream arrives event by event, and its home notices that its client has left", async () => {
  let closed: Promise<unknown> | undefined;
  const { url } = await startPair((_, response) => {
    closed = once(response, "close");
    response.writeHead(200, { "Content-Type": "text/event-stream" }).flushHeaders();
    response.write("data: 1\n\n");
    setImmediate(() => response.write("data: 2\n\n"));
  });
  const request = get(url);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const events: string[] = [];
  for await (const chunk of response) {
    events.push(String(chunk));
    if (events.join("").includes("2")) break;
  }
  expect(events.join("")).toBe("data: 1\n\ndata: 2\n\n");
  request.destroy();
  await closed;
});

test("MH25: an end sends no more than the window before the other has read, and goes on as it reads", async () => {
  const sent: number[] = [];
  const ignored = { taken: () => {}, finish: () => {}, cut: () => {} };
  const socket = new TunnelSocket("home", { ...ignored, bytes: (chunk) => void sent.push(chunk.length) });
  const sum = () => sent.reduce((all, each) => all + each, 0);
  let isWritten = false;
  socket.write(Buffer.alloc(2 * tunnelWindow), () => (isWritten = true));
  expect(sum()).toBe(tunnelWindow);
  socket.gainRoom(1000);
  expect(sum()).toBe(tunnelWindow + 1000);
  socket.gainRoom(tunnelWindow);
  await new Promise(setImmediate);
  expect([sum(), isWritten]).toEqual([2 * tunnelWindow, true]);
});

test("an end that gets more than the window closes the connection, and one that is read says so", async () => {
  const said: (string | number)[] = [];
  const socket = new TunnelSocket("home", {
    ...{ bytes: () => {}, finish: () => {} },
    taken: (count) => void said.push(count),
    cut: () => void said.push("cut"),
  });
  socket.on("error", () => {});
  socket.receive(Buffer.alloc(tunnelWindow / 2));
  expect(said).toEqual([]);
  socket.read();
  expect(said).toEqual([tunnelWindow / 2]);
  socket.receive(Buffer.alloc(tunnelWindow));
  socket.receive(Buffer.alloc(1));
  await new Promise((resolve) => socket.on("close", resolve));
  expect(said.at(-1)).toBe("cut");
});

test("an upgrade is passed on with its socket, and the end of one side ends the other", async () => {
  const { url, home } = await startPair((_, response) => response.end());
  const server = new WebSocketServer({ server: home });
  onTestFinished(() => server.close());
  server.on("connection", (socket) =>
    socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary })),
  );
  const client = new WebSocket(url.replace("http", "ws"), ["one", "two"]);
  await once(client, "open");
  client.send(Buffer.alloc(1_000_000, 7));
  const [echo] = (await once(client, "message")) as [Buffer];
  expect(echo.equals(Buffer.alloc(1_000_000, 7))).toBe(true);
  const [there] = server.clients;
  client.terminate();
  await once(there as WebSocket, "close");
});

test("MH26: when the other hub is lost, so is the client's connection", async () => {
  let reached = () => {};
  const isReached = new Promise<void>((resolve) => (reached = resolve));
  const { url, lose } = await startPair(() => reached());
  const answer = fetch(url);
  await isReached;
  lose();
  await expect(answer).rejects.toThrow();
});

/** Sends bytes as they are; resolves with all that comes back. */
async function sendRaw(url: string, text: string): Promise<string> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(text);
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

test.each(["GET", "DELETE", "POST", "OPTIONS", "PUT"])(
  "MH24: the body of a %s in chunks is its body at the other hub, and no request",
  async (method) => {
    const seen: unknown[] = [];
    const { url } = await startPair((request, response) => {
      void text(request).then((body) => {
        seen.push([request.method, request.url, isPassedOwn(request), body]);
        response.end("Hi.");
      });
    });
    const hidden = `GET /hidden HTTP/1.1\r\nHost: hub\r\nX-Pagewire-Own: 1\r\n\r\n`;
    const head = `${method} /path HTTP/1.1\r\nHost: hub\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const answer = await sendRaw(url, `${head}${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*Hi\./);
    expect(seen).toEqual([[method, "/path", false, hidden]]);
  },
);

test("MH24: answers without a body, with trailers or in several parts are as at their hub", async () => {
  const { url } = await startPair((request, response) => {
    if (request.url === "/204") response.writeHead(204);
    else if (request.url === "/304") response.writeHead(304, { ETag: "x", "Content-Length": 5 });
    else if (request.url === "/early") response.writeEarlyHints({ link: "</style.css>; rel=preload" });
    else response.writeHead(200, { "Content-Length": 5 });
    response.end(request.url === "/204" || request.url === "/304" ? undefined : "12345");
  });
  const [nothing, same, early] = await Promise.all(["/204", "/304", "/early"].map((path) => fetch(`${url}${path}`)));
  expect([nothing?.status, same?.status, same?.headers.get("etag"), await early?.text()]).toEqual([
    204,
    304,
    "x",
    "12345",
  ]);
  const head = await fetch(url, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length")]).toEqual([200, "5"]);
});

test("MH24: a client that has left before its request is passed on leaves nothing open at the other hub", async () => {
  let passed = () => {};
  const isPassed = new Promise<void>((resolve) => (passed = resolve));
  const { url, accepted } = await startPair(
    () => {},
    async (response) => {
      client.destroy();
      await once(response, "close");
      setImmediate(passed);
    },
  );
  const client = get(url).on("error", () => {});
  await isPassed;
  expect(accepted.filter((each) => !each.destroyed)).toEqual([]);
});
