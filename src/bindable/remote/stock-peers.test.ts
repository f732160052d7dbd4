// Peers of wc-bindable 0.4 to 0.8, played by hand.
import { expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { ChatCore } from "./chat-core.test-helper.ts";
import { idOf } from "./client.test-helper.ts";
import { connectRemoteCore } from "./connect-engine.ts";
import { createFakeSockets, createHandClient, createLogger, settle } from "./fake-sockets.test-helper.ts";
import type { ClientMessage } from "./messages.ts";
import { record, serveChat } from "./remote.test-helper.ts";

const wide = {
  ...ChatCore.wcBindable,
  properties: [...ChatCore.wcBindable.properties, { name: "sends", event: "chat:sends-changed" }],
  commands: [...(ChatCore.wcBindable.commands ?? []), { name: "secret" }],
};

test("a session serves a stock client with the protocol's messages and nothing else, from its first to its last", async () => {
  const served = serveChat({ declaration: wide, plainDeclaration: ChatCore.wcBindable });
  const client = createHandClient();
  served.sessions.attach(client, "ada");
  client.give({ type: "set", name: "provider", value: "early" });
  client.give({ type: "sync" });
  await settle();
  expect([client.take(), served.core.provider]).toEqual([
    [
      {
        type: "sync",
        values: { content: "", messages: [], loading: false, error: null },
        capabilities: { setAck: true, undefinedProperties: true, getterFailures: true },
        declarationFingerprint: {
          protocol: "wc-bindable",
          version: 1,
          properties: ["content", "error", "loading", "messages"],
          inputs: ["messages", "provider"],
          commands: ["abort", "fail", "send"],
        },
      },
    ],
    "early",
  ]);
  served.core.pieces = ["It ", "is 12."];
  client.give({ type: "set", name: "provider", value: "openai", id: "set-1" });
  client.give({ type: "cmd", name: "send", id: "cmd-1", args: ["Weather?"] });
  client.give({ type: "cmd", name: "secret", id: "cmd-2", args: [] });
  served.core.change("sends", 9);
  await settle();
  const question = { role: "user", content: "Weather?" };
  const answer = { role: "assistant", content: "It is 12." };
  expect(client.take()).toEqual([
    { type: "return", id: "set-1" },
    { type: "update", name: "loading", value: true },
    { type: "update", name: "messages", value: [question] },
    { type: "update", name: "content", value: "" },
    { type: "throw", id: "cmd-2", error: expect.objectContaining({ code: "WC_BINDABLE_UNDECLARED_COMMAND" }) },
    { type: "update", name: "content", value: "It is 12." },
    { type: "update", name: "messages", value: [question, answer] },
    { type: "update", name: "loading", value: false },
    { type: "return", id: "cmd-1", value: "It is 12." },
  ]);
  client.give({ type: "cmd", name: "send", id: "cmd-1", args: ["Again?"] });
  await settle();
  expect(client.take().at(-1)).toEqual({ type: "return", id: "cmd-1", value: "It is 12." });
  client.end();
  await served.clock.advance(0);
  expect([served.closed, served.sessions.size, served.clock.pending]).toEqual([["session-1"], 0, 0]);
});

test.each([
  ["0.4", { values: { content: "old" } }, "WC_BINDABLE_SET_ACK_UNSUPPORTED"],
  ["0.5", { values: { content: "old" }, capabilities: { setAck: true } }, "set"],
  [
    "0.8",
    {
      values: { content: "old" },
      undefinedProperties: ["error"],
      getterFailures: [],
      capabilities: { setAck: true, undefinedProperties: true, getterFailures: true },
      declarationFingerprint: {
        version: 1,
        properties: ["content", "error", "loading", "messages"],
        inputs: ["messages", "provider"],
        commands: ["abort", "fail", "send"],
      },
    },
    "set",
  ],
])(
  "connectRemoteCore works with a stock server of %s and sends it the protocol's messages",
  async (_, first, outcome) => {
    const clock = createFakeClock();
    const logger = createLogger();
    const pair = createFakeSockets();
    const got: ClientMessage[] = [];
    const give = (message: object) => pair.server.send(JSON.stringify(message));
    pair.server.addEventListener("message", ({ data }) => {
      const message = JSON.parse(data as string) as ClientMessage;
      got.push(message);
      if (message.type === "sync") give({ type: "sync", ...first });
      else if (message.type === "cmd" && message.args.length === 0) return;
      else if ("id" in message)
        give({ type: "return", id: message.id, ...(message.type === "cmd" && { value: "yes" }) });
    });
    const remote = connectRemoteCore(ChatCore.wcBindable, { clock, logger, connect: () => pair.client });
    const updates = record(remote.proxy);
    remote.proxy.set("provider", "a");
    const acknowledged = remote.proxy.setWithAck("provider", "b").then(
      () => "set",
      ({ code }: { code: string }) => code,
    );
    const called = remote.proxy.invoke("send", "x");
    await settle();
    pair.open();
    expect([await acknowledged, await called]).toEqual([outcome, "yes"]);
    for (const value of ["n", "ne", "new"]) give({ type: "update", name: "content", value });
    give({ type: "update", name: "error" });
    await settle();
    expect([remote.proxy["content"], remote.proxy["error"], updates.slice(-4)]).toEqual([
      "new",
      undefined,
      [
        ["content", "n"],
        ["content", "ne"],
        ["content", "new"],
        ["error", undefined],
      ],
    ]);
    const lost = remote.proxy.invokeWithOptions("send", [], { timeoutMs: 5 }).catch(() => "late");
    await clock.advance(120_000);
    expect(await lost).toBe("late");
    const cmd = (args: unknown[]) => ({ type: "cmd", name: "send", id: expect.any(String) as string, args });
    expect(got.slice(1)).toEqual([
      { type: "set", name: "provider", value: "a" },
      ...(outcome === "set" ? [{ type: "set", name: "provider", value: "b", id: idOf(got[2]) }] : []),
      cmd(["x"]),
      cmd([]),
    ]);
    expect([got[0]?.type, remote.state, logger.lines]).toEqual(["sync", "open", []]);
    remote.close();
  },
);

test("a session, whose core is not its client's own, tells no causes of an error", async () => {
  const served = serveChat();
  const client = createHandClient();
  served.sessions.attach(client, "ada");
  client.give({ type: "cmd", name: "fail", id: "1", args: [] });
  await settle();
  const error = { name: "TypeError", message: "It does not work.", code: "WC_BINDABLE_REMOTE_THROW" };
  expect(client.take()).toEqual([{ type: "throw", id: "1", error }]);
});
