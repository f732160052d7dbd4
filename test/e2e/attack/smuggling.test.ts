// Requests that a proxy and the hub might read differently, and the requests smuggled behind them on the same connection.
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { callTool } from "../../../src/hub/test-support/http.test-helper.ts";
import { connectPage } from "../../../src/hub/test-support/page.test-helper.ts";
import type { TestPage } from "../../../src/hub/test-support/page.test-helper.ts";
import { closeSockets } from "../../../src/hub/test-support/peer.test-helper.ts";
import { upgradeLines } from "../../../src/hub/test-support/raw.test-helper.ts";
import { startLocalHub } from "./local-hub.test-helper.ts";
import type { LocalHub } from "./local-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

let hub: LocalHub;
let page: TestPage;

beforeEach(async () => {
  hub = await startLocalHub();
  page = await connectPage(hub.url);
});

afterEach(async () => {
  closeSockets();
  await hub.close();
});

/** A hub's answers to these bytes, once it has closed the connection, or has served others that came later. */
async function answersTo(bytes: string): Promise<string> {
  const socket = connect(hub.port, "127.0.0.1");
  let text = "";
  socket.setEncoding("latin1").on("data", (more: string) => (text += more));
  socket.on("error", () => {});
  await new Promise((resolve) => socket.write(bytes, "latin1", resolve));
  for (let time = 0; time < 3 && !socket.destroyed; time++) await callTool(hub, "list_browser_tabs");
  await page.settled();
  socket.destroy();
  return text;
}

/** A call with a valid token, which must not run when it is smuggled. */
const call = () =>
  `POST /api/call/work HTTP/1.1\r\nHost: 127.0.0.1:${hub.port}\r\nAuthorization: Bearer ${hub.token}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;

test("H1, H4: a call hidden in the body or behind the end of another request does not run", async () => {
  const host = `Host: 127.0.0.1:${hub.port}`;
  const post = `POST /api/call/none HTTP/1.1\r\n${host}\r\nContent-Type: application/json`;
  const hidden = call();
  const length = hidden.length;
  const chunked = `${length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
  const attempts: Readonly<Record<string, string>> = {
    "a length and chunks": `${post}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    "chunks and a length": `${post}\r\nTransfer-Encoding: chunked\r\nContent-Length: ${length}\r\n\r\n${chunked}`,
    "two lengths": `${post}\r\nContent-Length: 0\r\nContent-Length: ${length}\r\n\r\n${hidden}`,
    "two lengths in one": `${post}\r\nContent-Length: 0, ${length}\r\n\r\n${hidden}`,
    "a length with a sign": `${post}\r\nContent-Length: +0\r\n\r\n${hidden}`,
    "a length below nothing": `${post}\r\nContent-Length: -1\r\n\r\n${hidden}`,
    "a length in hex": `${post}\r\nContent-Length: 0x0\r\n\r\n${hidden}`,
    "a length with a space before the colon": `${post}\r\nContent-Length : 0\r\n\r\n${hidden}`,
    "another encoding": `${post}\r\nTransfer-Encoding: xchunked\r\n\r\n${hidden}`,
    "an encoding before chunks": `${post}\r\nTransfer-Encoding: identity, chunked\r\nContent-Length: 0\r\n\r\n${hidden}`,
    "chunks that are not the last encoding": `${post}\r\nTransfer-Encoding: chunked, identity\r\n\r\n${hidden}`,
    "an encoding after a tab": `${post}\r\nTransfer-Encoding:\tchunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${hidden}`,
    "an encoding on a line of its own": `${post}\r\nTransfer-Encoding:\r\n chunked\r\n\r\n${hidden}`,
    "a size that is no number": `${post}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n${hidden}`,
    "a size that is too large": `${post}\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\n${hidden}`,
    "a chunk that is longer than it says": `${post}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n${hidden}`,
    "bare line ends": `POST /api/call/none HTTP/1.1\n${host}\nContent-Length: 0\n\n${hidden}`,
    "a bare return": `${post}\rContent-Length: 0\r\n\r\n${hidden}`,
    "a zero byte": `${post}\r\nX: a\u0000b\r\nContent-Length: 0\r\n\r\n${hidden}`,
    "a name with a space": `${post}\r\nContent Length: 0\r\n\r\n${hidden}`,
    "a line that goes on": `${post}\r\nX: a\r\n Authorization: Bearer ${hub.token}\r\n\r\n${hidden}`,
    "no name": `${post}\r\n: x\r\n\r\n${hidden}`,
    "another version": `POST /api/call/work HTTP/9.9\r\n${host}\r\nAuthorization: Bearer ${hub.token}\r\n\r\n${hidden}`,
    "no version": `POST /api/call/work\r\n${hidden}`,
    "another method": `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${hidden}`,
    "a tunnel": `CONNECT 127.0.0.1:${hub.port} HTTP/1.1\r\n${host}\r\n\r\n${hidden}`,
  };
  const tally = startTally(
    "smuggling",
    "requests with contradicting lengths, encodings, line ends and versions, and a call hidden behind each",
    "one request at most, and no call",
  );
  for (const [name, bytes] of Object.entries(attempts)) {
    const answers = (await answersTo(bytes)).split("HTTP/1.1 ").length - 1;
    tally.add(
      name,
      answers <= 1 && page.calls.length === 0
        ? "one request at most, and no call"
        : `${answers} answers, ${page.calls.length} calls`,
    );
  }
  await page.settled();
  expect(page.calls).toEqual([]);
  // Behind an honest request the call is read.
  await answersTo(`GET /healthz HTTP/1.1\r\n${host}\r\n\r\n${call()}`);
  expect(page.calls).toHaveLength(1);
  tally.close();
});

test("H4, H5: an upgrade that is none, or that is not finished, opens nothing, and nothing behind it is read as frames", async () => {
  const host = `Host: 127.0.0.1:${hub.port}`;
  const hello = (text: string) => {
    const payload = Buffer.from(text);
    return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]).toString("latin1");
  };
  const without = (name: string) => upgradeLines.filter((line) => !line.startsWith(name));
  const lines: Readonly<Record<string, readonly string[]>> = {
    "no upgrade": without("Upgrade"),
    "no connection": without("Connection"),
    "another upgrade": [...without("Upgrade"), "Upgrade: h2c"],
    "an upgrade among others": [...without("Upgrade"), "Upgrade: h2c, x"],
    "no key": without("Sec-WebSocket-Key"),
    "a short key": [...without("Sec-WebSocket-Key"), "Sec-WebSocket-Key: AAAA"],
    "another version": [...without("Sec-WebSocket-Version"), "Sec-WebSocket-Version: 0"],
    "a version that is none": [...without("Sec-WebSocket-Version"), "Sec-WebSocket-Version: 13, 8"],
    "two keys": [...upgradeLines, "Sec-WebSocket-Key: BBBBBBBBBBBBBBBBBBBBBB=="],
  };
  const tally = startTally("smuggling", "upgrades that are none, with a first frame behind each", "no socket");
  for (const [name, given] of Object.entries(lines)) {
    for (const path of ["/agent", "/page", "/ai-agent", "/ws/terminal", "/ws/parent-window/x"]) {
      for (const method of ["GET", "POST"]) {
        const head = [`${method} ${path} HTTP/1.1`, host, `Authorization: Bearer ${hub.token}`, ...given];
        const answer = await answersTo(
          `${head.join("\r\n")}\r\n\r\n${hello('{"type":"hello","versions":[1],"agent":{"name":"x"}}')}`,
        );
        tally.add(`${method} ${path}, ${name}`, answer.startsWith("HTTP/1.1 101") ? "a socket" : "no socket");
      }
    }
  }
  // The agent that was served in between.
  expect(await hub.metric("pagewire_agents")).toBe(1);
  tally.close();
});
