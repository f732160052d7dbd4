import { expect, test } from "vitest";
import { playModel, callOnce, serverTool, inputSchema } from "../doors/core/model.test-helper.ts";
import { settle, startTalking, talk } from "../doors/core/talk.test-helper.ts";
import { startWith, startCore } from "../doors/core/core.test-helper.ts";
import type { CoreClient } from "../doors/core/core.test-helper.ts";
import { askOwn } from "../test-support/own.test-helper.ts";
import { connectPage } from "../test-support/page.test-helper.ts";
import { shop } from "../test-support/peer.test-helper.ts";
import { createAuditedStore } from "./test-support/audited.test-helper.ts";

const readOnly = { annotations: { readOnlyHint: true } };

/** A model that calls a tool fifty times in each answer. */
const callOften = (name: string) =>
  playModel(({ body }, round) => {
    if (body.messages.at(-1)?.role === "tool") return { text: "done" };
    return { calls: Array.from({ length: 50 }, (_, n) => ({ name, arguments: { n: round * 50 + n } })) };
  });

/** Repeats this until there are three hundred calls, more than the recorder writes at once. */
async function askOften(client: CoreClient): Promise<void> {
  for (let n = 0; n < 6; n++) await client.run("send", "x", { tools: "page" });
}

test("hundreds of calls of the hub's own model are as many records", { timeout: 60_000 }, async () => {
  const store = createAuditedStore();
  const { hub, client } = await startWith(callOften("work"), {}, { store: () => store });
  await connectPage(hub.url, { tools: [{ name: "work", inputSchema, ...readOnly }] });
  await askOften(client);
  await hub.close();
  const records = store.of("call", "door", "agent", "name", "outcome", "decidedBy");
  expect(records).toEqual(records.map(() => ["model", "ai-agent", "work", "ok", "not-asked"]));
  expect(new Set(store.added.flatMap(({ argumentsDigest = [] }) => argumentsDigest)).size).toBe(300);
});

test("hundreds of calls through an agent's window are as many records", { timeout: 60_000 }, async () => {
  const store = createAuditedStore();
  const hub = await startTalking(callOften("parent-window_work"), { store: () => store });
  const { client } = await talk(hub);
  await askOften(client);
  await hub.close();
  const records = store.of("call", "door", "origin", "name", "outcome", "ran");
  expect(records).toEqual(records.map(() => ["window", shop, "work", "ok", "yes"]));
  expect(records).toHaveLength(300);
});

test("a model's call that was refused, was given wrong arguments, or is of the server's own, has a record, too", async () => {
  const store = createAuditedStore();
  const calls = [
    { name: "pay" },
    { name: "add", arguments: { n: "one" } },
    { name: "add", arguments: { n: 1 } },
    { name: "break" },
  ];
  const model = playModel((_, round) => (round === 0 ? { calls } : {}));
  const failing = serverTool("break", () => {
    throw new Error("It broke.");
  });
  const tools = [serverTool("add"), failing];
  const hub = await startTalking(model, { store: () => store, ai: { tools } });
  const page = await connectPage(hub.url, { tools: ["pay"] });
  const client = await startCore(hub.url, { token: hub.token });
  await settle(client, { tools: ["page", { name: "add" }, { name: "break" }] }, false);
  await hub.close();
  expect(page.calls).toEqual([]);
  const records = store.of("call", "name", "origin", "outcome", "ran", "decidedBy");
  expect(new Set(records)).toEqual(
    new Set([
      ["pay", shop, "rejected", "no", "user"],
      ["add", undefined, "rejected", "no", "not-asked"],
      ["add", undefined, "ok", "yes", "not-asked"],
      ["break", undefined, "tool-error", "maybe", "not-asked"],
    ]),
  );
  expect(store.of("question", "name", "origin", "outcome", "decidedBy", "details")).toEqual([
    ["pay", shop, "refused", "user", { method: "approval" }],
  ]);
});

test("each question to a user about a model's call is recorded, and the call's record has who or what allowed it", async () => {
  const store = createAuditedStore();
  const hub = await startTalking(callOnce("pay"), { store: () => store });
  await connectPage(hub.url, { tools: ["pay"] });
  const client = await startCore(hub.url, { token: hub.token });
  const decisions = [
    true,
    { approved: true, scope: "session" },
    false,
    { approved: true, scope: "always" },
    { approved: false, scope: "always" },
  ] as const;
  for (const decision of decisions) await settle(client, {}, decision);
  await hub.close();
  expect(store.of("question", "outcome", "decidedBy", "details")).toEqual([
    ["approved", "user", { method: "approval" }],
    ["approved", "user", { method: "approval", scope: "session" }],
  ]);
  expect(store.of("call", "outcome", "decidedBy")).toEqual([
    ["ok", "user"],
    ["ok", "user"],
    ["ok", "session"],
    ["ok", "session"],
    ["ok", "session"],
  ]);
});

test("a consent for always, a refusal, and that one was taken back, are records; a call says that it rests on one", async () => {
  const store = createAuditedStore();
  const hub = await startTalking(callOnce("pay"), { store: () => store });
  await connectPage(hub.url, { tools: ["pay"] });
  const start = () => startCore(hub.url, { token: hub.token });
  await settle(await start(), {}, { approved: true, scope: "always" });
  await settle(await start(), {}, false);
  const eachTime = { tools: ["page", { name: "pay", needsApproval: "each-call" }] };
  await settle(await start(), eachTime, { approved: false, scope: "once" });
  const { body } = await askOwn(hub, "GET /api/consents", { token: hub.token });
  const [consent] = (body?.["consents"] ?? []) as { key: string }[];
  await askOwn(hub, `DELETE /api/consents/${consent?.key}`, { token: hub.token });
  await settle(await start(), {}, { approved: false, scope: "always" });
  await settle(await start(), {}, true);
  await hub.close();
  expect(store.of("consent", "principal", "name", "origin", "outcome", "decidedBy")).toEqual([
    ["local", "pay", shop, "given", "user"],
    ["local", "pay", shop, "taken-back", "user"],
    ["local", "pay", shop, "refused", "user"],
  ]);
  expect(store.of("call", "outcome", "decidedBy")).toEqual([
    ["ok", "user"],
    ["ok", "consent"],
    ["rejected", "user"],
    ["rejected", "user"],
    ["rejected", "consent"],
  ]);
});

test("a question that timed out, or whose answer was stopped, is recorded as such", async () => {
  const store = createAuditedStore();
  const hub = await startTalking(callOnce("pay"), { store: () => store, limits: { approvalTime: 1 } });
  await connectPage(hub.url, { tools: ["pay"] });
  const client = await startCore(hub.url, { token: hub.token });
  await client.run("send", "x", { tools: "page" });
  await hub.close();
  expect(store.of("question", "outcome", "decidedBy")).toEqual([["refused", "time"]]);
});
