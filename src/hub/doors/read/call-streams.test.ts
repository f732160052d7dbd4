import { once } from "node:events";
import { expect, test } from "vitest";
import { defaultLimits } from "../../../wire/index.ts";
import type { CallEvent } from "../../../wire/index.ts";
import { signPageToken } from "../../guard/tokens.ts";
import { callTool } from "../../test-support/http.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { errorOf, signIn } from "../../test-support/own.test-helper.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { createOpenAnswers } from "../callers.ts";
import type { Door } from "../door.ts";
import { connectClient, readAll, startServer } from "../mcp/test-support/event-stream.test-helper.ts";
import { createCallStreams } from "./call-streams.ts";
import { listOf, openStream, read, secret, tokenOf } from "./read.test-helper.ts";

test("RA8: the stream has each call's events as they happen, and never what was said", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const stream = await openStream(hub);
  await callTool(hub, "work", { body: '{"card":"4111"}' });
  await expect.poll(() => stream.events.map(({ event }) => event)).toEqual(["watching", "started", "acked", "ended"]);
  const [, started, , ended] = stream.events;
  expect(started).toMatchObject({ time: expect.any(String), name: "work", tabId: page.tabId, app: "shop" });
  expect(ended).toMatchObject({ id: started?.["id"], outcome: "ok", milliseconds: expect.any(Number) });
  await expect.poll(() => listOf(hub, `calls?call=${String(started?.["id"])}`)).toMatchObject([{ name: "work" }]);
  expect(await listOf(hub, "calls?call=none")).toEqual([]);
  expect(JSON.stringify(stream.events)).not.toMatch(/4111|done/);
});

test("RA1: the stream has no event of another principal", async () => {
  const hub = await startHub({ jwt: { secret } });
  const [ann, bob] = await Promise.all([tokenOf("ann"), tokenOf("bob")]);
  await connectPage(hub.url, { token: await signPageToken({ secret, subject: "ann" }) });
  const [anns, bobs] = [await openStream(hub, ann), await openStream(hub, bob)];
  await callTool({ url: hub.url, token: ann }, "work");
  await expect.poll(() => anns.events).toHaveLength(4);
  expect(bobs.events).toMatchObject([{ event: "watching" }]);
});

test("RA9: a stream ends when its credential does: rotated, expired or revoked", async () => {
  const local = await startHub();
  const mine = await openStream(local);
  const own = await openStream(local, await signIn(local, local.token));
  local.rotate("another-token-of-this-test");
  await Promise.all([mine.ended, own.ended]);
  const revoked = new Set<string>();
  const tenants = await startHub({ jwt: { secret }, revocations: () => ({ ids: revoked, subjects: new Map() }) });
  const brief = await openStream(tenants, await tokenOf("ann", { expiresIn: 4 }));
  const lasting = await openStream(tenants, await tokenOf("ann", { id: "stolen" }));
  await brief.ended;
  revoked.add("stolen");
  tenants.allow("https://changed.example");
  await lasting.ended;
});

test("RA8, RA9: a reader that does not read misses events and is cut off; others miss nothing", async () => {
  const listeners = new Set<(event: CallEvent) => void>();
  const refused: string[] = [];
  const onCall = (listener: (event: CallEvent) => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const door = {
    limits: { ...defaultLimits, requestTime: 300, changesTime: 10 },
    metrics: { refused: (code: string) => void refused.push(code) },
    note() {},
    credentials: { isStillGood: () => true },
    queues: { grew() {}, left() {} },
    switchboard: { agent: () => ({ onCall, close() {} }) },
  } as unknown as Door;
  const streams = createCallStreams(door, createOpenAnswers(door));
  const server = await startServer();
  const admitted = { principal: "ann", credential: "c" };
  const connect = async () => {
    const client = await connectClient(server);
    const { request, response } = await server.next();
    streams.serve(request, response, { origin: undefined, admitted });
    return { client, response };
  };
  const [stalled, good] = [await connect(), await connect()];
  const received = readAll(good.client);
  const closed = once(stalled.response, "close");
  let sent = 0;
  let most = 0;
  const events = setInterval(() => {
    for (let n = 0; n < 100; n++) {
      const event = {
        event: "started",
        id: `${++sent}`,
        method: "tools/call",
        name: "x".repeat(8000),
        agent: "a",
      } as const;
      for (const listener of [...listeners]) listener(event);
    }
    most = Math.max(most, stalled.response.writableLength);
  }, 10);
  await closed;
  clearInterval(events);
  await expect.poll(() => good.response.writableLength).toBe(0);
  good.response.end();
  expect((await received).split("data: ").length - 2).toBe(sent);
  expect(most).toBeLessThan(4 * 1024 * 1024);
  expect(refused).toEqual(["too-slow"]);
});

test("streams of one principal are limited, and each that ends makes room", async () => {
  const hub = await startHub({ limits: { mcpStreamsPerPrincipal: 2 } });
  const token = await signIn(hub, hub.token);
  const first = await openStream(hub);
  await openStream(hub);
  expect(errorOf(await read(hub, "calls/stream", token))).toEqual([429, "requests-too-many"]);
  expect(await hub.metric('pagewire_over_budget_total{budget="mcpStreamsPerPrincipal"}')).toBe(1);
  first.close();
  await expect
    .poll(() =>
      openStream(hub).then(
        () => "open",
        () => "refused",
      ),
    )
    .toBe("open");
});

test("a stream does not keep a hub from stopping", async () => {
  const hub = await startHub();
  const stream = await openStream(hub);
  await hub.drain();
  await stream.ended;
});
