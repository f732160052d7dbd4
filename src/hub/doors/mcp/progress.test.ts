import type { LoggingLevel } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { askOnce } from "./test-support/mcp-asking.test-helper.ts";
import { connectClient, connectOlderClient, revisions } from "./test-support/mcp-client.test-helper.ts";
import { connectMcpPage } from "./test-support/mcp-page.test-helper.ts";
import { modern, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";
import type { RpcMessage } from "./test-support/raw-mcp.test-helper.ts";

const work = { name: "work", arguments: {} };

test.each(revisions)(
  "M16: a client of %s hears how far its call is, in order and before the result",
  async (revision) => {
    const hub = await startHub();
    await connectMcpPage(hub, {
      handle(call) {
        call.progress(0, { total: 2, message: "begun" });
        call.progress(1.5, { total: 2 });
        call.progress(2, { total: 2, message: "ä語" });
        call.say("done");
      },
    });
    const client = await connectClient(hub, { revision });
    const told: unknown[] = [];
    const result = await client.callTool(work, { onprogress: (progress) => told.push(progress) });
    expect(result).toMatchObject({ content: [{ text: "done" }] });
    expect(told).toEqual([
      { progress: 0, total: 2, message: "begun" },
      { progress: 1.5, total: 2 },
      { progress: 2, total: 2, message: "ä語" },
    ]);
  },
);

test.each(revisions)(
  "M16: to %s, each number is greater than the one before, whatever the page says",
  async (revision) => {
    const hub = await startHub();
    await connectMcpPage(hub, {
      handle(call) {
        for (const progress of [5, 5, 3, 6, -1, 1e15, 1e15]) call.progress(progress);
        call.say("done");
      },
    });
    const { before } = await askOnce({ hub, revision }, "tools/call", { ...work, _meta: { progressToken: "t" } });
    const numbers = before.map(({ params }) => params?.["progress"] as number);
    expect(numbers).toHaveLength(7);
    for (const [index, number] of numbers.entries()) expect(number).toBeGreaterThan(numbers[index - 1] ?? -Infinity);
    expect(before.every(({ params }) => params?.["progressToken"] === "t")).toBe(true);
  },
);

test.each(revisions)("M16: a client of %s that gave no token gets no progress", async (revision) => {
  const hub = await startHub();
  await connectMcpPage(hub, {
    handle(call) {
      call.progress(1);
      call.say("done");
    },
  });
  const { before, result } = await askOnce({ hub, revision }, "tools/call", work);
  expect([before, result]).toMatchObject([[], { content: [{ text: "done" }] }]);
});

test.each(revisions)("M16: two calls of one client of %s each get their own progress", async (revision) => {
  const hub = await startHub();
  const page = await connectMcpPage(hub);
  const client = await connectClient(hub, { revision });
  const told: string[] = [];
  const ends = ["a", "b"].map((of) =>
    client.callTool(
      { name: "work", arguments: { of } },
      { onprogress: ({ message }) => told.push(`${of} ${message}`) },
    ),
  );
  const calls = [await page.nextCall(), await page.nextCall()];
  for (const { progress, payload } of calls.toReversed()) progress(1, { message: (payload as { of: string }).of });
  for (const call of calls) call.say("done");
  await Promise.all(ends);
  expect(told.toSorted()).toEqual(["a a", "b b"]);
});

test.each(revisions)(
  "a client of %s that asked for progress hears of a silent call that it still runs",
  async (revision) => {
    const hub = await startHub({ limits: { progressTime: 15 } });
    const page = await connectMcpPage(hub);
    const client = await connectClient(hub, { revision });
    const told: number[] = [];
    let heard = () => {};
    const beats = new Promise<void>((resolve) => (heard = resolve));
    const end = client.callTool(work, {
      onprogress({ progress, message }) {
        expect(message).toBe("The tab is still working on it.");
        if (told.push(progress) === 3) heard();
      },
    });
    const call = await page.nextCall();
    await beats;
    call.say("done");
    expect(await end).toMatchObject({ content: [{ text: "done" }] });
    for (const [index, number] of told.entries()) expect(number).toBeGreaterThan(told[index - 1] ?? -Infinity);
  },
);

test.each(revisions)(
  "a client of %s that asked for progress hears that the call waits for its user in the page, and when it goes on",
  async (revision) => {
    const hub = await startHub({ limits: { progressTime: 15 } });
    const page = await connectMcpPage(hub);
    const client = await connectClient(hub, { revision });
    const told: (string | undefined)[] = [];
    const end = client.callTool(work, { onprogress: ({ message }) => void told.push(message) });
    const call = await page.nextCall();
    const [id = ""] = page.received.flatMap(({ frame }) => (frame.type === "call" ? [frame.id] : []));
    const question = { id, ask: "q1" };
    const method = "elicitation/create";
    page.send({ type: "ask", ...question, method, inPage: true }, JSON.stringify({ message: "Who?" }));
    await expect.poll(() => told.filter((message) => message?.includes("pagewire waits")).length).toBeGreaterThan(2);
    page.send({ type: "answered", ...question, code: "cancelled" });
    await expect.poll(() => told.at(-1)).toBe("The tab is still working on it.");
    call.say("done");
    await end;
  },
);

test("a page that asks its user many things tells a client once that the call waits", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub);
  const client = await connectClient(hub);
  const told: (string | undefined)[] = [];
  const end = client.callTool(work, { onprogress: ({ message }) => void told.push(message) });
  const call = await page.nextCall();
  const [id = ""] = page.received.flatMap(({ frame }) => (frame.type === "call" ? [frame.id] : []));
  for (let count = 0; count < 10; count++) {
    const question = { id, ask: `q${count}`, method: "elicitation/create", inPage: true } as const;
    page.send({ type: "ask", ...question }, JSON.stringify({ message: "Who?" }));
  }
  call.say("done");
  await end;
  expect(told).toEqual([expect.stringContaining("pagewire waits")]);
});

test("the last progress before a result is never lost, in over 200 calls of clients of every kind", async () => {
  const hub = await startHub();
  await connectMcpPage(hub, {
    handle(call) {
      call.progress(50);
      call.progress(100);
      call.say("done");
    },
  });
  const newer = await Promise.all(revisions.map((revision) => connectClient(hub, { revision })));
  const older = await connectOlderClient(hub);
  type Told = { readonly onprogress: (told: { progress: number }) => void };
  const callers = [
    ...newer.map((client) => (options: Told) => client.callTool(work, options)),
    (options: Told) => older.callTool(work, undefined, options),
  ];
  for (const call of callers) {
    for (let run = 0; run < 70; run++) {
      const told: number[] = [];
      await call({ onprogress: ({ progress }) => told.push(progress) });
      expect(told).toEqual([50, 100]);
    }
  }
});

const lines = [
  ["debug", "small"],
  ["info", { a: [1, "語"] }],
  ["warning", null],
  ["error", "large"],
] as const;

const logging = (call: { log(level: string, data: unknown, logger?: string): void; say(text: string): void }) => {
  for (const [level, data] of lines) call.log(level, data, "shop");
  call.say("done");
};

function logsOf(messages: readonly RpcMessage[]): readonly unknown[] {
  return messages.filter(({ method }) => method === "notifications/message").map(({ params }) => params);
}

test("M19: a client with a session gets its calls' logs from its chosen level on", async () => {
  const hub = await startHub();
  await connectMcpPage(hub, { handle: logging });
  const session = await openSession(hub);
  const all = await session.request("tools/call", work, 1).whole();
  expect(logsOf(all.messages)).toEqual(lines.map(([level, data]) => ({ level, data, logger: "shop" })));
  await session.request("logging/setLevel", { level: "warning" }, 2).whole();
  const fewer = await session.request("tools/call", work, 3).whole();
  expect(logsOf(fewer.messages)).toEqual(lines.slice(2).map(([level, data]) => ({ level, data, logger: "shop" })));
  expect(fewer.messages.at(-1)).toMatchObject({ id: 3, result: { content: [{ text: "done" }] } });
});

test("M19: a client of 2026-07-28 gets a call's logs from the level on that the call names, and none without a level", async () => {
  const hub = await startHub();
  await connectMcpPage(hub, { handle: logging });
  const levels: readonly [LoggingLevel | undefined, number][] = [
    [undefined, 0],
    ["emergency", 0],
    ["error", 1],
    ["info", 3],
    ["debug", 4],
  ];
  for (const [level, count] of levels) {
    const meta = level === undefined ? {} : { "io.modelcontextprotocol/logLevel": level };
    const { messages } = await sendRaw(hub, modern("tools/call", work, { meta })).whole();
    expect(logsOf(messages), level).toHaveLength(count);
    expect(messages.at(-1)).toMatchObject({ result: { content: [{ text: "done" }] } });
  }
});

test("M20: a client with a session that cancels its call has it aborted in the page, with its reason", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { handle: (call) => call.progress(1) });
  const session = await openSession(hub);
  // Without progress the answer is JSON, with it a stream.
  for (const [id, _meta] of [
    ["a", {}],
    [7, { progressToken: 1 }],
  ] as const) {
    const running = session.request("tools/call", { ...work, _meta }, id);
    const call = await page.nextCall();
    if ("progressToken" in _meta) await running.next();
    const params = { requestId: id, reason: "Not needed." };
    expect((await session.send({ jsonrpc: "2.0", method: "notifications/cancelled", params }).whole()).status).toBe(
      202,
    );
    expect(await call.cancelled).toBe("Not needed.");
    // After this the only message about it is its end.
    const { messages } = await running.whole();
    expect(messages.filter(({ result }) => result && !result["isError"])).toEqual([]);
  }
});

test.each(revisions)("M20: a client of %s that aborts its call has it aborted in the page", async (revision) => {
  const hub = await startHub({ limits: { cutTime: 20 } });
  const page = await connectMcpPage(hub);
  const client = await connectClient(hub, { revision });
  for (const options of [{}, { onprogress: () => {} }]) {
    const abort = new AbortController();
    const end = client.callTool(work, { ...options, signal: abort.signal });
    const call = await page.nextCall();
    call.progress(1);
    abort.abort();
    await expect(end).rejects.toThrow();
    await call.cancelled;
  }
});

test("M20: no session can cancel another session's call by its request id", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub);
  const mine = await openSession(hub);
  const other = await openSession(hub);
  const running = mine.request("tools/call", work, 1);
  const call = await page.nextCall();
  await other.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }).whole();
  call.say("done");
  expect((await running.whole()).messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: "done" }] } });
});
