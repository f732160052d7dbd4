import { expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { ChatCore } from "./chat-core.test-helper.ts";
import { createHandClient, createLogger } from "./fake-sockets.test-helper.ts";
import type { ServerMessage } from "./messages.ts";
import { RemoteShellProxy } from "./remote-shell-proxy.ts";

function underTest(sync: object = { type: "sync" }) {
  const core = new ChatCore();
  const client = createHandClient();
  const clock = createFakeClock();
  new RemoteShellProxy(core, client, { clock, logger: createLogger() });
  client.give(sync);
  client.take();
  return { core, client, clock };
}

const valuesOf = (sent: readonly ServerMessage[], name = "content") =>
  sent.flatMap((message) => ("value" in message && "name" in message && message.name === name ? [message.value] : []));

test.each([0, 1, 20, 100, 400])(
  "24,000 characters that come six at a time, every %s ms, cost a stock client at most 30 bytes a character",
  async (pause) => {
    const { core, client, clock } = underTest();
    core.change("loading", true);
    const times: number[] = [];
    for (let at = 0; at < 4000; at++) {
      const before = valuesOf(client.sent).length;
      core.change("content", `${core.content}piece `);
      await clock.advance(pause);
      if (valuesOf(client.sent).length > before) times.push(clock.now());
    }
    core.change("messages", [{ role: "assistant", content: core.content }]);
    core.change("loading", false);
    const bytes = client.sent.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message)), 0);
    expect(core.content).toHaveLength(24_000);
    expect(bytes / 24_000).toBeLessThanOrEqual(30);
    expect(client.sent.at(-1)).toEqual({ type: "update", name: "loading", value: false });
    expect([valuesOf(client.sent).at(-1), valuesOf(client.sent, "messages").at(-1)]).toEqual([
      core.content,
      core.messages,
    ]);
    expect(times.every((time, at) => time - (times[at - 1] ?? -100) >= 99)).toBe(true);
    await clock.advance(1000);
    expect(clock.pending).toBe(0);
  },
);

test("a stock client gets the first piece at once, the next ones together, and all of it when nothing more comes", async () => {
  const { core, client, clock } = underTest();
  for (const text of ["a", "ab", "abc"]) core.change("content", text);
  expect(valuesOf(client.take())).toEqual(["a"]);
  await clock.advance(100);
  expect(valuesOf(client.take())).toEqual(["abc"]);
  const long = "x".repeat(10_000);
  core.change("content", `abc${long}`);
  await clock.advance(100);
  client.take();
  for (let at = 0; at < 25; at++) {
    core.change("content", `${core.content}.`);
    await clock.advance(100);
  }
  const [last] = valuesOf(client.take()).slice(-1);
  expect(last).not.toBe(core.content);
  await clock.advance(550);
  expect([valuesOf(client.take()).at(-1), clock.pending]).toEqual([core.content, 0]);
});

test("what grew is sent before a flag, an error or an answer that comes after it, and a new text begins at once", () => {
  const { core, client } = underTest();
  for (const [name, value] of [
    ["loading", true],
    ["error", null],
  ] as const) {
    core.change("content", "a");
    core.change("content", `a ${name}`);
    client.take();
    core.change("content", `a ${name}!`);
    core.change(name, value);
    expect(client.take()).toEqual([
      { type: "update", name: "content", value: `a ${name}!` },
      { type: "update", name, value },
    ]);
  }
  core.change("content", `${core.content}?`);
  client.give({ type: "cmd", name: "abort", id: "1", args: [] });
  expect(client.take().map((message) => "type" in message && message.type)).toEqual(["update", "update", "return"]);
  core.change("content", "b");
  expect(valuesOf(client.take())).toEqual(["b"]);
});

test("counts that change with each piece do not make every piece a message", async () => {
  const { core, client, clock } = underTest();
  for (let at = 0; at < 100; at++) {
    core.change("content", `${core.content}piece `);
    core.change("error", { tokens: at });
    await clock.advance(10);
  }
  expect(client.sent.length).toBeLessThanOrEqual(30);
  await clock.advance(150);
  expect(valuesOf(client.sent, "error").at(-1)).toEqual({ tokens: 99 });
});

test("Pagewire's own clients get every piece at once", () => {
  const { core, client } = underTest({ type: "sync", pagewire: { client: "c" } });
  for (const text of ["a", "ab", "abc"]) core.change("content", text);
  expect(client.take()).toEqual([
    [0, "a"],
    [0, "b"],
    [0, "c"],
  ]);
});
