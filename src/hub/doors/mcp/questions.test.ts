import { expect, test } from "vitest";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { connectClient, connectOlderClient, revisions } from "./test-support/mcp-client.test-helper.ts";
import { connectMcpPage } from "./test-support/mcp-page.test-helper.ts";
import type { PageCall } from "./test-support/mcp-page.test-helper.ts";
import { openSession } from "./test-support/raw-mcp.test-helper.ts";

const work = { name: "work", arguments: {} };
const form = (message: string) => ({
  mode: "form",
  message,
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
});
const elicitation = { capabilities: { elicitation: { form: {} } } };

/** Ends the call with the answers to its questions, as text. */
const sayAnswers = (call: PageCall, answers: unknown) => call.say(JSON.stringify(answers));

async function answersOf(end: Promise<{ content: unknown }>): Promise<unknown> {
  const { content } = await end;
  return JSON.parse((content as { text: string }[])[0]?.text ?? "null") as unknown;
}

test.each(revisions)(
  "M21: a page asks the user of a client of %s, and is given what the user says",
  async (revision) => {
    const hub = await startHub();
    const page = await connectMcpPage(hub, {
      handle: async (call) => sayAnswers(call, await call.ask("elicitation/create", form("Who?"))),
    });
    const client = await connectClient(hub, { ...elicitation, revision });
    const asked: unknown[] = [];
    const said = [
      { action: "accept" as const, content: { name: "Ann" } },
      { action: "decline" as const },
      { action: "cancel" as const },
    ];
    let next = said[0] ?? { action: "cancel" as const };
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params);
      return next;
    });
    for (next of said) expect(await answersOf(client.callTool(work))).toMatchObject(next);
    expect(asked).toMatchObject(said.map(() => form("Who?")));
    expect(page.calls.map(({ asks }) => asks)).toEqual(said.map(() => ["elicitation/create"]));
  },
);

test("M21: clients of the SDK's first line are asked as well", async () => {
  const hub = await startHub();
  await connectMcpPage(hub, {
    handle: async (call) => sayAnswers(call, await call.ask("elicitation/create", form("Who?"))),
  });
  const client = await connectOlderClient(hub, { elicitation: {} });
  const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ann" } }));
  expect(await answersOf(client.callTool(work) as Promise<{ content: unknown }>)).toMatchObject({
    content: { name: "Ann" },
  });
});

test.each(revisions)("a page asks a client of %s several things at once, and one after the other", async (revision) => {
  const hub = await startHub();
  await connectMcpPage(hub, {
    async handle(call) {
      const names = ["a", "b", "c"];
      const atOnce = await Promise.all(names.map((name) => call.ask("elicitation/create", form(name))));
      call.progress(1);
      const later = [];
      for (const name of ["d", "e"]) later.push(await call.ask("elicitation/create", form(name)));
      sayAnswers(call, [...atOnce, ...later]);
    },
  });
  const client = await connectClient(hub, { ...elicitation, revision });
  client.setRequestHandler("elicitation/create", ({ params }) => ({
    action: "accept",
    content: { name: params.message },
  }));
  const answers = await answersOf(client.callTool(work));
  expect(answers).toMatchObject(["a", "b", "c", "d", "e"].map((name) => ({ action: "accept", content: { name } })));
});

test.each(revisions)(
  "two calls of one client of %s are each given the answers to their own questions",
  async (revision) => {
    const hub = await startHub();
    await connectMcpPage(hub, {
      async handle(call) {
        const { of } = call.payload as { of: string };
        sayAnswers(call, await call.ask("elicitation/create", form(of), "same-name"));
      },
    });
    const client = await connectClient(hub, { ...elicitation, revision });
    client.setRequestHandler("elicitation/create", ({ params }) => ({
      action: "accept",
      content: { name: params.message },
    }));
    const ends = ["a", "b", "c"].map((of) => answersOf(client.callTool({ name: "work", arguments: { of } })));
    expect(await Promise.all(ends)).toMatchObject([
      { content: { name: "a" } },
      { content: { name: "b" } },
      { content: { name: "c" } },
    ]);
  },
);

test.each(revisions)(
  "of a client of %s that cannot be asked the page knows so beforehand, and is told when it asks",
  async (revision) => {
    const hub = await startHub();
    const page = await connectMcpPage(hub, {
      handle: async (call) => sayAnswers(call, await call.ask("elicitation/create", form("Who?"))),
    });
    const others = { capabilities: { sampling: {}, roots: {} } };
    for (const [options, asks] of [
      [{}, []],
      [others, ["sampling/createMessage", "roots/list"]],
    ] as const) {
      const client = await connectClient(hub, { ...options, revision });
      expect(await answersOf(client.callTool(work))).toMatchObject({ code: "ask-unsupported" });
      expect(page.calls.at(-1)?.asks).toEqual(asks);
    }
  },
);

test.each(revisions)(
  "a client of %s that accepts without the fields that a question requires cannot be asked: the page is told so",
  async (revision) => {
    const hub = await startHub();
    const requestedSchema = { type: "object", properties: { pieces: { type: "integer" } }, required: ["pieces"] };
    await connectMcpPage(hub, {
      handle: async (call) =>
        sayAnswers(call, await call.ask("elicitation/create", { message: "Many?", requestedSchema })),
    });
    const client = await connectClient(hub, { ...elicitation, revision });
    const said = [{ action: "accept" as const }, { action: "accept" as const, content: { name: "Ann" } }];
    let next = said[0] ?? { action: "accept" as const };
    client.setRequestHandler("elicitation/create", () => next);
    for (next of said) expect(await answersOf(client.callTool(work))).toMatchObject({ code: "ask-unsupported" });
    // A refusal needs no fields.
    client.setRequestHandler("elicitation/create", () => ({ action: "decline" }));
    expect(await answersOf(client.callTool(work))).toMatchObject({ action: "decline" });
  },
);

test("if a client with a session answers with an error, the page gets the reason", async () => {
  const hub = await startHub();
  await connectMcpPage(hub, {
    handle: async (call) => sayAnswers(call, await call.ask("elicitation/create", form("Who?"))),
  });
  const client = await connectClient(hub, { ...elicitation, revision: "2025-11-25" });
  client.setRequestHandler("elicitation/create", () => {
    throw new Error("Nobody is here.");
  });
  expect(await answersOf(client.callTool(work))).toEqual({
    code: "ask-failed",
    message: expect.stringContaining("Nobody is here.") as string,
  });
});

test("of modes of asking only forms are passed on", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { handle: (call) => call.say("x") });
  for (const [elicits, asks] of [
    [{}, 1],
    [{ form: {} }, 1],
    [{ form: {}, url: {} }, 1],
    [{ url: {} }, 0],
  ] as const) {
    const client = await connectClient(hub, { capabilities: { elicitation: elicits } });
    await client.callTool(work);
    expect(page.calls.at(-1)?.asks).toHaveLength(asks);
  }
});

const message = { role: "user" as const, content: { type: "text" as const, text: "Say hi." } };
const spoken = { role: "assistant" as const, model: "m", content: { type: "text" as const, text: "hi" } };
const roots = { roots: [{ uri: "file:///home", name: "home" }] };

test.each(revisions)("a page asks the model of a client of %s, and for its roots", async (revision) => {
  const hub = await startHub();
  await connectMcpPage(hub, {
    async handle(call) {
      const answer = await call.ask("sampling/createMessage", { messages: [message], maxTokens: 9 });
      sayAnswers(call, [answer, await call.ask("roots/list", {})]);
    },
  });
  const client = await connectClient(hub, { capabilities: { sampling: {}, roots: {} }, revision });
  client.setRequestHandler("sampling/createMessage", ({ params }) => {
    expect(params).toMatchObject({ messages: [message], maxTokens: 9 });
    return spoken;
  });
  client.setRequestHandler("roots/list", () => roots);
  expect(await answersOf(client.callTool(work))).toMatchObject([spoken, roots]);
});

test.each(["prompts/get", "resources/read"] as const)("a handler of %s may ask as a tool may", async (method) => {
  const hub = await startHub();
  await connectMcpPage(hub, {
    offer: { prompts: [{ name: "greet" }], resources: [{ uri: "note:///1", name: "one" }] },
    async handle(call) {
      const text = JSON.stringify(await call.ask("elicitation/create", form("Who?")));
      if (method === "prompts/get") call.result({ messages: [{ role: "user", content: { type: "text", text } }] });
      else call.result({ contents: [{ uri: "note:///1", text }] });
    },
  });
  for (const revision of revisions) {
    const client = await connectClient(hub, { ...elicitation, revision });
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "Ann" } }));
    const result =
      method === "prompts/get"
        ? await client.getPrompt({ name: "greet" })
        : await client.readResource({ uri: "note:///1" });
    expect(JSON.stringify(result)).toContain("Ann");
  }
});

test("when a call ends while its question waits, the question is cancelled for a client with a session", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { handle: (call) => void call.ask("elicitation/create", form("Who?")) });
  const session = await openSession(hub, elicitation);
  for (const ends of [(call: PageCall) => call.say("done"), (call: PageCall) => call.leave()]) {
    const running = session.request("tools/call", work);
    const question = await running.next();
    expect(question).toMatchObject({ method: "elicitation/create", params: form("Who?") });
    ends(await page.nextCall());
    const { messages } = await running.whole();
    expect(messages).toMatchObject([
      { method: "notifications/cancelled", params: { requestId: question?.id } },
      { id: 1 },
    ]);
  }
});

test("when a client with a session cancels a call, a question of it is over for the page", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { handle: (call) => void call.ask("elicitation/create", form("Who?")) });
  const session = await openSession(hub, elicitation);
  const running = session.request("tools/call", work);
  const question = await running.next();
  const call = await page.nextCall();
  await session.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }).whole();
  await call.cancelled;
  await running.whole();
  // A late answer is dropped.
  const late = { jsonrpc: "2.0", id: question?.id, result: { action: "accept", content: {} } };
  expect((await session.send(late).whole()).status).toBe(202);
  await page.settled();
  expect(page.received.some(({ frame }) => frame.type === "answer")).toBe(false);
});
