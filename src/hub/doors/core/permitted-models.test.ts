import { expect, test } from "vitest";
import type { AiMessage } from "../../../ai/index.ts";
import { askOwn } from "../../test-support/own.test-helper.ts";
import { makeKey } from "../../test-support/page-key.test-helper.ts";
import { startShellHub } from "../shell/shell.test-helper.ts";
import type { ShellHub } from "../shell/shell.test-helper.ts";
import { startCore, startWith } from "./core.test-helper.ts";
import { sayAlways } from "./model.test-helper.ts";

const data = [
  { id: "gpt-new", created: 9 },
  { id: "gpt-b", created: 3, context_length: 1000 },
];

/** A model that also lists its provider's. */
function withList() {
  const model = sayAlways("Hi.");
  const listed: unknown[] = [];
  const send: typeof fetch = async (input, init) => {
    if (init?.body) return model.fetch(input, init);
    listed.push(input);
    return Response.json({ data });
  };
  return { fetch: send, requests: model.requests, listed };
}

test("a page may choose among the models of the hub alone, and what its options say of the list counts for nothing", async () => {
  const model = withList();
  const { client } = await startWith(model);
  const permitted = [
    { id: "gpt-a", name: "gpt-a" },
    { id: "gpt-b", name: "gpt-b", context: 1000 },
  ];
  expect(await client.run("models")).toEqual(permitted);
  expect(await client.run("models", { baseUrl: "http://127.0.0.1:1", apiKey: "sk-mine" })).toEqual(permitted);
  expect(model.listed).toEqual(["https://api.openai.com/v1/models"]);
  await expect(client.run("send", "One", { model: "gpt-new" })).rejects.toMatchObject({ code: "option-refused" });
  await client.run("send", "Two", { model: "gpt-b" });
  expect(model.requests.map(({ body }) => body.model)).toEqual(["gpt-b"]);
});

test("a page gets its models also where the provider lists none", async () => {
  const { client } = await startWith({ ...sayAlways("Hi."), fetch: () => Promise.reject(new TypeError("no")) });
  expect(await client.run("models")).toEqual([
    { id: "gpt-a", name: "gpt-a" },
    { id: "gpt-b", name: "gpt-b" },
  ]);
});

/** The hub's page, opened by its owner, and opened with an agent's token. */
async function openWindow(hub: ShellHub, codes: "codes" | "owner-codes", session?: string) {
  const token = codes === "codes" ? hub.token : hub.key;
  const code = (await askOwn(hub, `POST /api/${codes}`, { token, origin: undefined })).body?.["code"];
  const { key, bearer } = await makeKey(hub);
  const signedIn = await askOwn(hub, "POST /api/sign-in", { body: JSON.stringify({ code, key }) });
  const signed = await bearer(String(signedIn.body?.["token"]));
  const protocols = ["pagewire.core.1", `pagewire.bearer.${signed}`];
  return startCore(hub.url, { origin: hub.url, protocols, ...(session !== undefined && { session }) });
}

test("the hub's owner may choose any of the provider's for a conversation, and nobody else, also not in the same one", async () => {
  const model = withList();
  const ai = { provider: "openai", model: ["gpt-a", "gpt-b"], apiKey: "sk-server-key", fetch: model.fetch } as const;
  const hub = await startShellHub({ ai, whenLoaded: async () => {} });
  const owner = await openWindow(hub, "owner-codes");
  expect(await owner.run("models")).toMatchObject([{ id: "gpt-a" }, { id: "gpt-b" }, { id: "gpt-new" }]);
  await owner.run("send", "One", { model: "gpt-new" });
  expect((owner.values["messages"] as AiMessage[])[1]).toMatchObject({ chosenModel: "gpt-new", model: "gpt-new" });
  for (const wrong of ["a b", "x".repeat(201), 7])
    await expect(owner.run("send", "x", { model: wrong })).rejects.toMatchObject({ code: "option-refused" });
  const others = [
    await openWindow(hub, "codes", owner.session),
    await startCore(hub.url, { token: hub.token, session: owner.session }),
  ];
  for (const other of others) {
    expect(await other.run("models")).toMatchObject([{ id: "gpt-a" }, { id: "gpt-b" }]);
    await expect(other.run("send", "One", { model: "gpt-new" })).rejects.toMatchObject({ code: "option-refused" });
  }
  await owner.run("send", "Two", { model: "gpt-new" });
  await others[1]?.run("send", "Three", {});
  expect(model.requests.map(({ body }) => body.model)).toEqual(["gpt-new", "gpt-new", "gpt-a"]);
});

test("a rehearsal has itself alone", async () => {
  const { client } = await startWith(sayAlways("Hi."), { provider: "rehearsal", model: [] });
  expect(await client.run("models")).toEqual([{ id: "rehearsal", name: "rehearsal" }]);
  await client.run("send", "Hi", { model: "gpt-4o" });
  expect((client.values["messages"] as AiMessage[])[1]).toMatchObject({ model: "rehearsal" });
});
