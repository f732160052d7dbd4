// One tenant grows everything that it can; another is served all the while.
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { waitUntil } from "../../support/wait.ts";
import { besiegeHub } from "../besieged-hub.test-helper.ts";
import type { BesiegedHub, HostilePage } from "../besieged-hub.test-helper.ts";
import { growthUnder, noteFlood } from "./flood.test-helper.ts";

const MB = 1024 * 1024;

let besieged: BesiegedHub;

beforeEach(async () => {
  besieged = await besiegeHub();
});

afterEach(() => besieged.close());

test("90 tabs of one principal, each with an offer of 15 MB, are refused by name at its bound", async () => {
  const schema = { type: "object", properties: {}, description: "x".repeat(60_000) };
  const tools = Array.from({ length: 250 }, (_, at) => ({ name: `tool_${at}`, inputSchema: schema }));
  const pages: HostilePage[] = [];
  const growth = await growthUnder(besieged, async () => {
    for (let tab = 0; tab < 90; tab++) {
      const page = await besieged.openPage("mallory").catch(() => undefined);
      if (page?.socket.readyState !== WebSocket.OPEN) continue;
      page.offer(tools);
      pages.push(page);
      // After this the hub has read everything, or has closed the socket.
      page.socket.ping();
      await Promise.race([once(page.socket, "pong"), once(page.socket, "close")]);
    }
  });
  const codes = pages.flatMap(({ heard }) => heard.filter(({ type }) => type === "refused").map(({ code }) => code));
  expect(new Set(codes)).toEqual(new Set(["offers-too-large"]));
  noteFlood("90 tabs of one principal with a legal offer of 15 MB each", 90, growth);
});

test("100 agents that do not read their results delay no other client", async () => {
  const page = await besieged.openPage("mallory");
  page.offer([{ name: "large", inputSchema: { type: "object", properties: {} } }]);
  page.answerWith(JSON.stringify({ content: [{ type: "text", text: "x".repeat(MB - 1000) }] }));
  const token = await besieged.agentToken("mallory");
  const sockets: Socket[] = [];
  const growth = await growthUnder(besieged, async () => {
    for (let agent = 0; agent < 100; agent++) {
      const socket = connect(besieged.hub.port, "127.0.0.1");
      sockets.push(socket);
      socket.on("error", () => {});
      await once(socket, "connect");
      socket.pause();
      const request = `POST /api/call/large HTTP/1.1\r\nHost: 127.0.0.1:${besieged.hub.port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
      for (let call = 0; call < 50; call++) socket.write(request);
    }
    // The page decides how these calls end: wait until the hub has sent it as many as it will.
    let asked = -1;
    await waitUntil(
      async () => {
        const now = page.heard.length;
        const isStill = now === asked;
        asked = now;
        await new Promise((resolve) => setTimeout(resolve, 1000));
        return isStill;
      },
      () => "The hub went on asking the page.",
    );
  });
  for (const socket of sockets) socket.destroy();
  noteFlood("100 agents with 50 calls each read nothing of results of 1 MB", 5000, growth);
});

test("whoever has a credential comes in while strangers open one socket after the other and say nothing", async () => {
  let strangers = 0;
  let isOver = false;
  const flood = (async () => {
    while (!isOver) {
      const socket = new WebSocket(`${besieged.hub.url.replace("http", "ws")}/page`, {
        headers: { Origin: "https://evil.example" },
      });
      socket.on("error", () => {});
      strangers++;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  let welcome = 0;
  const growth = await growthUnder(besieged, async () => {
    await waitUntil(
      async () => strangers > 200,
      () => "There are no strangers.",
    );
    for (let visit = 0; visit < 40; visit++) {
      const page = await besieged.openPage("alice");
      await waitUntil(
        async () => page.heard.some(({ type }) => type === "welcome"),
        () => `A page with a token was not let in: ${JSON.stringify(page.heard)}`,
      );
      welcome++;
      page.socket.terminate();
    }
  });
  isOver = true;
  await flood;
  expect(welcome).toBe(40);
  noteFlood("a hundred sockets a second without a credential, which say nothing", strangers, growth);
});
