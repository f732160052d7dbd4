import { expect, test } from "vitest";
import type { Offer } from "../../../wire/index.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { askOnce } from "./test-support/mcp-asking.test-helper.ts";
import { connectClient, connectOlderClient, revisions } from "./test-support/mcp-client.test-helper.ts";
import { connectMcpPage } from "./test-support/mcp-page.test-helper.ts";
import type { PageCall } from "./test-support/mcp-page.test-helper.ts";

const offer: Partial<Offer> = {
  prompts: [{ name: "greet", arguments: [{ name: "who", required: true }] }],
  resources: [{ uri: "note:///1", name: "one" }],
  resourceTemplates: [{ uriTemplate: "note:///by/{name}", name: "by name" }],
};
const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Hello Ann!" } }];
const completion = { values: ["Ann", "Anna"], total: 2, hasMore: false };

function answer(call: PageCall): void {
  if (call.method === "prompts/get") call.result({ description: "A greeting", messages });
  else if (call.method === "completion/complete") call.result({ completion });
  else
    call.result({
      contents: [
        { uri: call.name, mimeType: "text/plain", text: `of ${call.name}` },
        { uri: call.name, blob: "aGk=" },
      ],
    });
}

test("clients of every kind get prompts, read resources and have arguments completed", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { offer, handle: answer });
  const clients = [
    await connectClient(hub, { revision: "2025-11-25" }),
    await connectClient(hub),
    await connectOlderClient(hub),
  ];
  for (const client of clients) {
    expect(await client.getPrompt({ name: "greet", arguments: { who: "Ann" } })).toMatchObject({
      description: "A greeting",
      messages,
    });
    for (const uri of ["note:///1", "note:///by/ann"]) {
      expect((await client.readResource({ uri })).contents).toEqual([
        { uri, mimeType: "text/plain", text: `of ${uri}` },
        { uri, blob: "aGk=" },
      ]);
    }
    const argument = { name: "who", value: "An" };
    for (const ref of [
      { type: "ref/prompt" as const, name: "greet" },
      { type: "ref/resource" as const, uri: "note:///by/{name}" },
    ]) {
      expect((await client.complete({ ref, argument, context: { arguments: { a: "b" } } })).completion).toEqual(
        completion,
      );
      expect(page.calls.at(-1)?.payload).toEqual({ ref, argument, context: { arguments: { a: "b" } } });
    }
  }
  expect(page.calls[0]).toMatchObject({ method: "prompts/get", name: "greet", payload: { who: "Ann" } });
});

test.each(revisions)("a prompt or resource that fails is an error to %s, with what happened", async (revision) => {
  const hub = await startHub();
  const failure = { outcome: "rejected", ran: "no", code: "input-invalid", message: "Who is missing." } as const;
  await connectMcpPage(hub, { offer, handle: (call) => call.fail(failure) });
  const marks = { "pagewire/outcome": "rejected", "pagewire/ran": "no", "pagewire/code": "input-invalid" };
  const wrong = await askOnce({ hub, revision }, "prompts/get", { name: "greet" });
  expect(wrong.error).toEqual({ code: -32602, message: "Who is missing.", data: marks });
  const read = await askOnce({ hub, revision }, "resources/read", { uri: "note:///1" });
  expect(read.error).toMatchObject({ message: "Who is missing.", data: marks });
});

test.each(revisions)(
  "what nobody offers is a mistake in the request of %s, and the resource is named",
  async (revision) => {
    const hub = await startHub();
    const page = await connectMcpPage(hub, { offer, handle: answer });
    expect((await askOnce({ hub, revision }, "prompts/get", { name: "none" })).error?.code).toBe(-32602);
    expect((await askOnce({ hub, revision }, "resources/read", { uri: "note:///2" })).error).toMatchObject({
      code: -32602,
      data: { uri: "note:///2" },
    });
    const argument = { name: "a", value: "" };
    expect(
      (await askOnce({ hub, revision }, "completion/complete", { ref: { type: "ref/prompt", name: "none" }, argument }))
        .error?.code,
    ).toBe(-32602);
    expect(page.calls).toEqual([]);
  },
);

test.each(revisions)("parameters of the wrong form are refused to %s by their name", async (revision) => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { offer, handle: answer });
  const argument = { name: "a", value: "" };
  const wrong = [
    ["prompts/get", {}, "name"],
    ["prompts/get", { name: "greet", arguments: [] }, "arguments"],
    ["resources/read", { uri: 1 }, "uri"],
    ["completion/complete", { argument }, "ref"],
    ["completion/complete", { ref: { type: "ref/prompt", name: 1 }, argument }, "name"],
    ["completion/complete", { ref: { type: "ref/prompt", name: "greet" } }, "argument"],
    ["tools/list", { cursor: 1 }, "cursor"],
  ] as const;
  for (const [method, params, name] of wrong) {
    const { error } = await askOnce(
      { hub, revision, headers: { "Mcp-Name": String(Object.values(params)[0]) } },
      method,
      params,
    );
    expect(error, method).toMatchObject({ code: -32602, message: expect.stringContaining(`"${name}"`) as string });
  }
  expect(page.calls).toEqual([]);
});

test("a resource that two apps offer is read from the tab that the address names", async () => {
  const hub = await startHub();
  const pages = [];
  for (const app of ["shop", "bank"]) pages.push(await connectMcpPage(hub, { app, tab: app, offer, handle: answer }));
  const client = await connectClient(hub);
  await expect(client.readResource({ uri: "note:///1" })).rejects.toThrow(/shop|bank/);
  for (const page of pages) {
    const inTab = await connectClient(hub, { tab: page.tabId });
    expect((await inTab.readResource({ uri: "note:///1" })).contents).toHaveLength(2);
    expect(page.calls).toHaveLength(1);
  }
});
