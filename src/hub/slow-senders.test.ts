import { connect } from "node:net";
import { expect, test } from "vitest";
import { recordFault } from "../../test/support/record-fault.ts";
import { startHub } from "./hub.test-helper.ts";
import { callTool } from "./http.test-helper.ts";
import { connectPage } from "./page.test-helper.ts";
import { upgradeLines } from "./raw.test-helper.ts";

/** Sends a text byte by byte for as long as the connection lasts; resolves when it ends, with how much was sent. */
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

test("H55: headers and bodies that come slowly are cut off, and others are answered meanwhile", async () => {
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

/** Sends the first bytes at once, and the others one by one. */
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
