import { connect } from "node:net";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { recordFault } from "../../../test/support/record-fault.ts";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import { signAgentToken, signPageToken } from "../guard/tokens.ts";
import { heldBytes } from "../test-support/held-bytes.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import type { TestHub } from "../test-support/hub.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { byHand, connectPage, openPage } from "../test-support/page.test-helper.ts";
import type { TestPage } from "../test-support/page.test-helper.ts";
import { upgradeLines } from "../test-support/raw.test-helper.ts";

/** Sends a text byte by byte until the connection ends; resolves with the number of sent bytes. */
function trickle(port: number, text: string): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let sent = 0;
    const timer = setInterval(() => {
      if (sent < text.length) socket.write(text[sent++] ?? "");
    }, 5);
    socket.resume();
    socket.on("error", () => {});
    socket.on("close", () => {
      clearInterval(timer);
      resolve(sent);
    });
  });
}

test("headers and bodies that come slowly are cut off, and others are answered meanwhile", async () => {
  const hub = await startHub({ limits: { headersTime: 2000, requestTime: 3000 } });
  const page = await connectPage(hub.url);
  const host = `Host: 127.0.0.1:${hub.port}\r\n`;
  const padding = `X-Padding: ${"x".repeat(6000)}\r\n`;
  const call = `POST /api/call/work HTTP/1.1\r\n${host}Authorization: Bearer ${hub.token}\r\nContent-Type: application/json\r\n`;
  const slow = [
    `GET /healthz HTTP/1.1\r\n${host}${padding}\r\n`,
    `GET /agent HTTP/1.1\r\n${host}${upgradeLines.join("\r\n")}\r\n${padding}\r\n`,
    `${"\r\n".repeat(3000)}`,
    "",
  ];
  const ends = Array.from({ length: 50 }, (_, index) => trickle(hub.port, slow[index % slow.length] ?? ""));
  const body = `${call}Content-Length: 6000\r\n\r\n${"1".repeat(6000)}`;
  const slowBody = trickleAfter(hub.port, body, call.length + 30);
  for (let count = 0; count < 20; count++) expect((await callTool(hub, "work")).status).toBe(200);
  const sent = await Promise.all([...ends, slowBody]);
  for (const count of sent) expect(count).toBeLessThan(6000);
  expect(page.calls).toHaveLength(20);
  recordFault("hub", {
    fault: "Connections that send their headers or body byte by byte, or nothing",
    expected: "cut off, others answered",
    observed: "cut off, others answered",
    count: sent.length,
  });
});

/** Sends the first bytes at once, and the rest one by one. */
function trickleAfter(port: number, text: string, first: number): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text.slice(0, first)));
    let sent = 0;
    const timer = setInterval(() => socket.write(text[first + sent++] ?? ""), 5);
    socket.resume();
    socket.on("error", () => {});
    socket.on("close", () => {
      clearInterval(timer);
      resolve(sent);
    });
  });
}

const megabyte = 1024 * 1024;
const secret = "s".repeat(40);

/** Starts a 15 MB message on a page's socket, below the WebSocket library, which would send all of it. */
function beginMessage({ socket }: TestPage): Socket {
  const { _socket: stream } = socket as unknown as { readonly _socket: Socket };
  const header = Buffer.alloc(14);
  header.set([0x81, 0xff]);
  header.writeUInt32BE(15 * megabyte, 6);
  stream.write(header);
  stream.write(Buffer.alloc(14 * megabyte, "x"));
  return stream;
}

/** Starts a call with a 15 MB body. */
function beginBody(hub: TestHub, token: string): Socket {
  const socket = connect(hub.port, "127.0.0.1");
  const lines = ["POST /api/call/work HTTP/1.1", `Host: 127.0.0.1:${hub.port}`, `Authorization: Bearer ${token}`];
  lines.push("Content-Type: application/json", `Content-Length: ${15 * megabyte}`, "", "");
  socket.on("error", () => {});
  socket.write(lines.join("\r\n"));
  socket.write(Buffer.alloc(14 * megabyte, " "));
  return socket;
}

test("however many messages and bodies of one principal do not come to their end, the hub holds little of them, and others are served", async () => {
  const hub = await startHub({ jwt: { secret } });
  const tokenOf = (subject: string) => signPageToken({ secret, subject });
  const token = await tokenOf("eve");
  const pages: TestPage[] = [];
  for (let tab = 0; tab < 20; tab++) pages.push(await connectPage(hub.url, { token, tab: `${tab}` }));
  const agents = await signAgentToken({ secret, subject: "eve" });
  const read = () => pages.map(({ socket }) => (socket as unknown as { _socket: Socket })._socket.writableLength);
  const before = heldBytes();
  const streams = [...pages.map(beginMessage), ...Array.from({ length: 20 }, () => beginBody(hub, agents))];
  const sent = 40 * 14 * megabyte;
  // The hub has read the first one, and of the others only what it reads before they are paused.
  await expect.poll(() => Math.min(...read())).toBe(0);
  for (let count = 0; count < 20; count++) {
    await connectPage(hub.url, { token: await tokenOf(`ada-${count}`) });
    const agent = await connectAgent(hub.url, { token: await signAgentToken({ secret, subject: `ada-${count}` }) });
    expect((await agent.call("work", { id: "1" })).frame.type).toBe("result");
  }
  const unsent = streams.reduce((sum, { writableLength }) => sum + writableLength, 0);
  expect(unsent).toBeGreaterThan(sent / 2);
  // Not counted: memory of the peers, which live in the same process.
  expect(heldBytes() - before - unsent).toBeLessThan(64 * megabyte);
  for (const stream of streams) stream.destroy();
});

test("large messages of one principal that come at once all arrive, one after the other", async () => {
  const hub = await startHub({ limits: { arrivingBytesPerPrincipal: 200_000 } });
  const text = JSON.stringify("x".repeat(3 * megabyte));
  const pages = await Promise.all(
    Array.from({ length: 8 }, (_, tab) =>
      connectPage(hub.url, {
        tab: `${tab}`,
        tools: [`tool-${tab}`],
        handle(call, page) {
          page.ack(call.id);
          page.result(call.id, text);
        },
      }),
    ),
  );
  const body = JSON.stringify({ text });
  const answers = await Promise.all(pages.map((_, tab) => callTool(hub, `tool-${tab}`, { body })));
  for (const { status, body: answer } of answers) expect([status, answer.length > text.length]).toEqual([200, true]);
});

test("a message that does not come to its end is cut off after `requestTime`", async () => {
  const hub = await startHub({ limits: { requestTime: 100 } });
  const page = await connectPage(hub.url);
  beginMessage(page);
  expect((await page.closed).code).toBe(1006);
  expect(await hub.metric('pagewire_over_budget_total{budget="arrivingBytesPerPrincipal"}')).toBe(1);
});

test("who has not said who they are is cut off after `strangerBytes`", async () => {
  const hub = await startHub();
  const page = await openPage(hub.url);
  beginMessage(page);
  expect((await page.closed).code).toBe(1006);
  expect(await hub.metric('pagewire_refusals_total{code="frame-too-large"}')).toBe(1);
});

test("H42: large results that come in fragments of any size, one after the other, arrive as they were sent", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const large = Array.from({ length: 9 }, (_, at) => `${at}`.repeat(60_000));
  for (const pieces of [large, ["", ...large], [large.join(""), ""], ["", large.join(""), "", ""]]) {
    const ends = [callTool(hub, "work"), callTool(hub, "work")];
    const ids = [(await page.nextCall()).id, (await page.nextCall()).id];
    for (const id of ids) {
      page.ack(id);
      page.socket.send(`{"type":"result","id":"${id}"}\n"`, { fin: false });
      for (const piece of pieces) page.socket.send(piece, { fin: false });
      page.socket.send('"', { fin: true });
    }
    for (const end of ends) expect((await end).text).toContain(`"${pieces.join("")}"`);
  }
});
