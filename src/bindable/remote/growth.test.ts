import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../../wire/index.ts";
import { ChatCore } from "./chat-core.test-helper.ts";
import { createHandClient, createHandServer, createLogger } from "./fake-sockets.test-helper.ts";
import { createRemoteCoreProxy } from "./remote-core-proxy.ts";
import { RemoteShellProxy } from "./remote-shell-proxy.ts";
import { serveChat } from "./remote.test-helper.ts";

/** A client of ours and a shell of ours, and the messages between them as they are. */
function joined() {
  const core = new ChatCore();
  const logger = createLogger();
  const up = createHandServer();
  const down = createHandClient();
  new RemoteShellProxy(core, down, { logger });
  const proxy = createRemoteCoreProxy<{ content: unknown; messages: unknown }>(ChatCore.wcBindable, up, { logger });
  const pass = () => {
    for (const message of up.take()) down.give(structuredClone(message));
    const updates = down.take();
    for (const message of updates) up.give(structuredClone(message));
    return updates;
  };
  pass();
  return { core, proxy, pass, lines: logger.lines, up, down };
}

test("between two sides of Pagewire a text that grows is sent as what was added, and observers get all of it", () => {
  const { core, proxy, pass } = joined();
  for (const content of ["It", "It is", "It is"]) core.change("content", content);
  expect([pass(), proxy.content]).toEqual([
    [
      [0, "It"],
      [0, " is"],
      [0, ""],
    ],
    "It is",
  ]);
  core.change("content", "");
  core.change("loading", true);
  core.change("content", "New");
  expect([pass(), proxy.content]).toEqual([
    [
      { type: "update", name: "content", value: "", seq: expect.any(Number) },
      { type: "update", name: "loading", value: true, seq: expect.any(Number) },
      [0, "New"],
    ],
    "New",
  ]);
});

test("a list that grows is sent as its new items, and one whose end changes as its new end", () => {
  const { core, proxy, pass } = joined();
  const one = { role: "user", content: "x".repeat(1000) };
  const two = { role: "assistant", content: "b" };
  core.change("messages", [one]);
  core.change("messages", [one, two]);
  expect([pass(), proxy.messages]).toEqual([
    [
      [1, [one]],
      [1, [two]],
    ],
    [one, two],
  ]);
  const three = { role: "tool", content: "c" };
  core.change("messages", [one, three, two]);
  expect([pass(), proxy.messages]).toEqual([
    [{ type: "update", name: "messages", keep: 1, rest: [three, two], seq: expect.any(Number) }],
    [one, three, two],
  ]);
  core.change("messages", [one]);
  core.change("messages", []);
  pass();
  expect(proxy.messages).toEqual([]);
});

test("a text or list that grows within a value is sent as its path and what was added", () => {
  const { core, proxy, pass } = joined();
  core.change("content", { calls: [{ id: "1", arguments: '{"a' }], __proto__: null });
  pass();
  core.change("content", { calls: [{ id: "1", arguments: '{"ab":' }] });
  expect(pass()).toEqual([[0, 'b":', expect.any(Number), ["calls", 0, "arguments"]]]);
  core.change("content", { calls: [{ id: "1", arguments: '{"ab":' }, { id: "2" }] });
  expect(pass()).toEqual([[0, [{ id: "2" }], expect.any(Number), ["calls"]]]);
  expect(proxy.content).toEqual({ calls: [{ id: "1", arguments: '{"ab":' }, { id: "2" }] });
});

test("after any changes the client has the core's values", () => {
  const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(fc.array(json, { maxLength: 6 }), fc.array(fc.nat(3), { maxLength: 12 }), (values, steps) => {
      const { core, proxy, pass } = joined();
      let list: Json[] = [];
      for (const [at, step] of steps.entries()) {
        const value = values[at % (values.length || 1)] ?? null;
        if (step === 0) list = [...list, value];
        else if (step === 1) list = list.slice(1);
        else if (step === 2) list = [...list.slice(0, -1), { at, text: JSON.stringify(value).repeat(at) }];
        else core.change("messages", value);
        core.change("messages", list);
        core.change("content", JSON.stringify(list));
        if (at % 3 === 0) pass();
      }
      pass();
      expect(JSON.stringify([proxy.messages, proxy.content])).toBe(JSON.stringify([core.messages, core.content]));
    }),
    { numRuns: 300 },
  );
});

test("an answer of 24 000 characters in pieces of six costs at most five times its text", async () => {
  const served = serveChat();
  served.core.pieces = Array.from({ length: 4000 }, (_, at) => String(at).padStart(6, "é"));
  const remote = served.connect();
  const answer = remote.proxy.invoke("send", "Go on.");
  await served.clock.advance(0);
  expect(await answer).toHaveLength(24_000);
  const frames = served.sockets[0]?.server.sent ?? [];
  const headers = (bytes: number) => (bytes < 126 ? 2 : bytes < 65_536 ? 4 : 10);
  const bytes = frames.map((frame) => new TextEncoder().encode(frame).length);
  const sum = bytes.reduce((total, each) => total + each + headers(each), 0);
  const text = new TextEncoder().encode(served.core.content).length;
  expect(sum).toBeLessThan(5 * text);
  remote.close();
});

test("a growth of something that the client does not have ends the connection rather than the truth", () => {
  for (const wrong of [
    [0, ["x"]],
    [0, "x", 9, ["a", "b"]],
    { type: "update", name: "content", keep: 1, rest: ["x"], seq: 2 },
  ]) {
    const { proxy, up, lines } = joined();
    up.give(wrong);
    expect([proxy.content, lines.length]).toEqual(["", 1]);
  }
});

test("a client that comes back after that gets everything again, and continues", async () => {
  const served = serveChat();
  const remote = served.connect();
  await served.clock.advance(0);
  await remote.proxy.invoke("send", "x");
  served.sockets[0]?.server.send(JSON.stringify([1, "not a list"]));
  await served.clock.advance(500);
  expect([remote.state, remote.proxy["content"], served.sockets.length, served.cores.length]).toEqual([
    "open",
    served.core.content,
    2,
    1,
  ]);
  served.core.change("content", `${served.core.content} Warm.`);
  await served.clock.advance(0);
  expect(remote.proxy["content"]).toBe(served.core.content);
  remote.close();
});
