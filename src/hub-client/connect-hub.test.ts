import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { WebSocketServer } from "ws";
import { createSocketLink } from "../link/index.ts";
import { recordLink } from "../testing/index.ts";
import { encodeFrame, textOf } from "../wire/index.ts";
import { connectHub } from "./connect-hub.ts";
import { answerProof, openServer } from "./proving-server.test-helper.ts";
import type { ProvingServer } from "./proving-server.test-helper.ts";
import { failureOf, welcome } from "./scripted-hub.test-helper.ts";

let hub: ProvingServer;
let server: WebSocketServer;
let url: string;
/** The token that the server proves that it has. */
let token: string;
const agent = { name: "tester" };

beforeEach(async () => {
  token = "a-secret-token";
  hub = await openServer((request, response) => answerProof(token, request, response));
  ({ url, sockets: server } = hub);
});

afterEach(() => hub.close());

test("over a real socket the first frame has the proof of the token, and no frame has the token", async () => {
  const connection = once(server, "connection") as Promise<[WebSocket, IncomingMessage]>;
  const connecting = connectHub({ url: `${url}/`, token: "a-secret-token", agent, WebSocket });
  const [socket, request] = await connection;
  const link = createSocketLink(socket);
  const [hello = ""] = await recordLink(link, (message) => {
    const { type, id } = JSON.parse(textOf(message).split("\n")[0] ?? "") as { type: string; id: string };
    if (type === "call") link.send(new TextEncoder().encode(`{"type":"result","id":"${id}"}\n{"ok":true}`));
  }).received(1);
  expect(request.url).toBe("/agent");
  expect(JSON.stringify(request.headers)).not.toContain("a-secret-token");
  expect(textOf(hello)).toContain('"token":"pagewire-proven.');
  expect(textOf(hello)).not.toContain("a-secret-token");
  link.send(encodeFrame(welcome));
  const client = await connecting;
  expect(await client.call({ name: "t" })).toEqual({ outcome: "ok", ran: "yes", result: { ok: true } });
  const closed = once(socket, "close");
  client.close();
  await closed;
});

test("a hub below a path is reached below that path", async () => {
  const connection = once(server, "connection") as Promise<[WebSocket, IncomingMessage]>;
  const connecting = failureOf(connectHub({ url: `${url.replace("http", "ws")}/tools/`, agent, WebSocket }));
  const [socket, request] = await connection;
  expect(request.url).toBe("/tools/agent");
  socket.close(4012);
  expect((await connecting).code).toBe("token-invalid");
});

test("without a listener, and with a server that is no hub, connecting fails by name", async () => {
  const other = createServer((socket) => socket.resume().end("SSH-2.0\r\n"));
  await once(other.listen(0, "127.0.0.1"), "listening");
  const { port } = other.address() as AddressInfo;
  const elsewhere = await failureOf(connectHub({ url: `http://127.0.0.1:${port}`, agent, WebSocket }));
  await new Promise((resolve) => other.close(resolve));
  const nowhere = await failureOf(connectHub({ url: `http://127.0.0.1:${port}`, agent, WebSocket }));
  for (const error of [elsewhere, nowhere]) {
    expect([error.code, error.message.includes("Start it with: npx pagewire")]).toEqual(["hub-unreachable", true]);
  }
  expect(nowhere.message).toContain("ECONNREFUSED");
});

test.each(["", "nowhere", "ftp://127.0.0.1", "http://user:word@127.0.0.1", "127.0.0.1:7337"])(
  "%j is refused as an invalid address of a hub",
  async (wrong) => {
    const error = await failureOf(connectHub({ url: wrong, agent, WebSocket }));
    expect([error.code, error.message.includes('"http://127.0.0.1:7337"')]).toEqual(["options-invalid", true]);
  },
);

test("the hub proves itself before each connection; a client that finds another hub ends with an error", async () => {
  const hellos: string[] = [];
  server.on("connection", (socket) => {
    const link = createSocketLink(socket);
    void recordLink(link, (message) => {
      hellos.push(textOf(message));
      link.send(encodeFrame(welcome));
    });
  });
  const client = await connectHub({ url, token: "a-secret-token", agent, WebSocket, random: () => 0 });
  token = "a-token-of-somebody-else";
  const refused = new Promise((resolve) => client.onState((state) => state.status === "refused" && resolve(state)));
  for (const socket of server.clients) socket.terminate();
  expect(await refused).toMatchObject({ status: "refused", code: "hub-not-proven" });
  expect(hellos).toHaveLength(1);
  expect((await failureOf(client.tabs())).code).toBe("hub-not-proven");
  client.close();
});
