import { expect, onTestFinished, test, vi } from "vitest";
import { signAgentToken, signPageToken } from "../../guard/tokens.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { connectClient } from "./test-support/mcp-client.test-helper.ts";
import { connectMcpPage, toolOf } from "./test-support/mcp-page.test-helper.ts";
import {
  accept,
  ask,
  asking,
  capabilities,
  round,
  saidIn,
  staleState,
  waiting,
  work,
} from "./test-support/mcp-rounds.test-helper.ts";
import { modern, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";

test.each([
  { what: "a question", request: { inputRequests: { who: ask("Who?") } } },
  { what: "a question and a state", request: { inputRequests: { who: ask("Who?") }, requestState: "mine" } },
  { what: "a state alone", request: { requestState: "mine" } },
  {
    what: "questions of every kind",
    request: {
      inputRequests: {
        who: ask("Who?"),
        model: { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } },
        roots: { method: "roots/list", params: {} },
      },
      requestState: "",
    },
  },
])("M26: a page that answers with $what is called again with the answers and its state", async ({ request }) => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { handle: asking(request) });
  const client = await connectClient(hub, { capabilities });
  const spoken = { role: "assistant" as const, model: "m", content: { type: "text" as const, text: "hi" } };
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "Ann" } }));
  client.setRequestHandler("sampling/createMessage", () => spoken);
  client.setRequestHandler("roots/list", () => ({ roots: [] }));
  const said = saidIn({ result: await client.callTool(work) });
  const answers: Readonly<Record<string, object>> = { who: accept("Ann"), model: spoken, roots: { roots: [] } };
  const { inputRequests = {}, requestState } = request as { inputRequests?: object; requestState?: string };
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answers[key]]));
  expect(said).toEqual({
    arguments: { a: 1 },
    inputResponses,
    ...(requestState === undefined ? {} : { requestState }),
  });
  expect(page.calls.map(({ rounds }) => rounds)).toEqual([true, true]);
});

test("M26: handlers of prompts and resources end rounds as tools do", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, {
    offer: { prompts: [{ name: "greet" }], resources: [{ uri: "note:///1", name: "one" }] },
    handle(call) {
      if (!call.hasInput) return asking({ inputRequests: { who: ask("Who?") }, requestState: "mine" })(call);
      const text = JSON.stringify(call.payload);
      if (call.method === "resources/read") call.result({ contents: [{ uri: call.name, text }] });
      else call.result({ messages: [{ role: "user", content: { type: "text", text } }] });
    },
  });
  const client = await connectClient(hub, { capabilities });
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "Ann" } }));
  const said = [await client.getPrompt({ name: "greet" }), await client.readResource({ uri: "note:///1" })];
  for (const result of said) expect(JSON.stringify(result)).toContain("Ann");
  const given = { inputResponses: { who: accept("Ann") }, requestState: "mine" };
  expect(page.calls.filter(({ hasInput }) => hasInput).map(({ payload }) => payload)).toMatchObject([given, given]);
});

test("M26: a page gets the answers that arrived, with some missing or some that it did not ask for", async () => {
  const hub = await startHub();
  await connectMcpPage(hub, {
    handle: asking({ inputRequests: { a: ask("A?"), b: ask("B?") }, requestState: "mine" }),
  });
  for (const responses of [undefined, {}, { a: accept("A") }, { a: accept("A"), b: accept("B"), c: accept("C") }]) {
    const first = await round(hub);
    expect(saidIn(await round(hub, first, responses === undefined ? {} : { responses }))).toMatchObject({
      inputResponses: responses ?? {},
      requestState: "mine",
    });
  }
});

test("M26: the next round goes to the tab that asked, with the same arguments, regardless of focus", async () => {
  const hub = await startHub();
  const pages = [];
  for (const tab of ["1", "2"]) pages.push(await connectMcpPage(hub, { tab, handle: asking({ requestState: tab }) }));
  const [one, two] = pages;
  one?.send({ type: "tab", focused: true });
  await one?.settled();
  const first = await round(hub);
  two?.send({ type: "tab", focused: true });
  await two?.settled();
  expect(saidIn(await round(hub, first))).toEqual({
    arguments: { a: 1 },
    inputResponses: {},
    requestState: "1",
  });
  expect(two?.calls).toEqual([]);
});

test("M26: a client with a session takes no rounds, and a page that would ask it in one has failed", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { handle: asking({ requestState: "mine" }) });
  const session = await openSession(hub, { capabilities });
  const { messages } = await session.request("tools/call", work).whole();
  expect(messages.at(-1)?.result).toMatchObject({ isError: true, _meta: { "pagewire/code": "output-invalid" } });
  expect(page.calls.map(({ rounds }) => rounds)).toEqual([false]);
});

test("M27: a question that the client does not support is MCP's error for that, with HTTP status 400", async () => {
  const hub = await startHub();
  await connectMcpPage(hub, { handle: asking({ inputRequests: { who: ask("Who?") } }) });
  const { status, error } = await round(hub, undefined, { capabilities: { roots: {} } });
  expect([status, error]).toMatchObject([400, { code: -32021, data: { requiredCapabilities: { elicitation: {} } } }]);
});

for (const { kind, handle } of [
  { kind: "a page's own", handle: asking({ requestState: "mine" }) },
  { kind: "a waiting call's", handle: waiting },
]) {
  test(`M29: a state that was made up, changed or grew old is refused, and is ${kind}`, async () => {
    const hub = await startHub();
    const page = await connectMcpPage(hub, { handle });
    const first = await round(hub);
    const state = String(first.result?.["requestState"]);
    const [version, body = "", mac = ""] = state.split(".");
    const forgedBody = Buffer.from(Buffer.from(body, "base64url").toString().replace("work", "rest")).toString(
      "base64url",
    );
    const others = [
      "",
      "x",
      `${version}.${body}.`,
      `${version}.${forgedBody}.${mac}`,
      `${version}.${body}.${mac.toUpperCase()}`,
      `${state}x`,
    ];
    for (const requestState of [...others, `${version}.${body}`]) {
      expect((await round(hub, { result: { requestState } })).error, requestState).toMatchObject(staleState);
    }
    expect((await round(hub, { result: { requestState: 1 } })).error?.code).toBe(-32602);
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    vi.setSystemTime(Date.now() + 16 * 60_000);
    expect((await round(hub, first)).error).toMatchObject(staleState);
    expect(page.calls).toHaveLength(1);
  });

  test(`M29: a state is worth nothing to another tool, method, client, address or principal, and is ${kind}`, async () => {
    const secret = "a-secret-of-at-least-32-characters";
    const jwt = await startHub({ jwt: { secret } });
    const hubOf = async (subject: string) => ({ ...jwt, token: await signAgentToken({ secret, subject }) });
    const hub = await hubOf("ann");
    const offer = { tools: [toolOf("work"), toolOf("rest")], prompts: [{ name: "work" }] };
    const pages = [];
    for (const [subject, tab] of [
      ["ann", "1"],
      ["ann", "2"],
      ["bob", "3"],
    ] as const)
      pages.push(await connectMcpPage(jwt, { offer, tab, handle, token: await signPageToken({ secret, subject }) }));
    const path = `/mcp/tabs/${pages[0]?.tabId}`;
    const first = await round(hub, undefined, { path });
    const elsewhere = [
      round(hub, first, { path, params: { ...work, name: "rest" } }),
      round(hub, first, { path, client: "another" }),
      round(hub, first, { path: `/mcp/tabs/${pages[1]?.tabId}` }),
      round(hub, first),
      round(await hubOf("bob"), first, { path: `/mcp/tabs/${pages[2]?.tabId}` }),
    ];
    for (const { error } of await Promise.all(elsewhere)) expect(error).toMatchObject(staleState);
    const prompt = modern(
      "prompts/get",
      { name: "work", requestState: first.result?.["requestState"] },
      { capabilities, path },
    );
    expect((await sendRaw(hub, prompt).whole()).messages[0]?.error).toMatchObject(staleState);
    expect(pages.map(({ calls }) => calls.length)).toEqual([1, 0, 0]);
    // It is still valid for its own client.
    expect((await round(hub, first, { responses: { who: accept("Ann") }, path })).result).toMatchObject({
      resultType: "complete",
    });
  });
}
