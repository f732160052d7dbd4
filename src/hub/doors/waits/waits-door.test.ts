import { expect, test } from "vitest";
import { terminalOnly } from "../../../wire/index.ts";
import { signAgentToken, signPageToken, signTerminalToken } from "../../guard/tokens.ts";
import { callTool } from "../../test-support/http.test-helper.ts";
import type { HubSettings } from "../../options/options.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { connectAgent } from "../../test-support/agent.test-helper.ts";
import { errorOf, mintCode, signIn } from "../../test-support/own.test-helper.ts";
import type { OwnAnswer } from "../../test-support/own.test-helper.ts";
import { byHand, connectPage, openPage } from "../../test-support/page.test-helper.ts";
import { delegate, openBoth } from "../delegate/delegate.test-helper.ts";
import { connectMcpPage } from "../mcp/test-support/mcp-page.test-helper.ts";
import { connectClient, connectOlderClient, revisions } from "../mcp/test-support/mcp-client.test-helper.ts";
import { startWith } from "../core/core.test-helper.ts";
import { callOnce } from "../core/model.test-helper.ts";
import {
  allowId,
  answerWait,
  askInPage,
  askingPage,
  onlyWait,
  ownersKey,
  openWaitsStream,
  shellKey,
  signInPerson,
  startAskingHub,
  waitsOf,
} from "./waits.test-helper.ts";

const inputSchema = { type: "object" } as const;
const secret = "a-secret-of-at-least-32-characters";

test("IN1, IN4, IN6: a call that its page asks about runs when its user allows it in the inbox", async () => {
  const hub = await startAskingHub();
  const tool = {
    name: "work",
    title: "Work",
    description: "Works.",
    inputSchema,
    annotations: { destructiveHint: true },
  };
  const page = await connectPage(hub.url, { ...askingPage, tools: [tool] });
  const ended = callTool(hub, "work", { body: '{"card":"4111"}' });
  const wait = await onlyWait(hub);
  expect(wait).toMatchObject({
    kind: "approval",
    ...{ tool: "work", title: "Work", description: "Works.", destructive: true, arguments: '{"card":"4111"}' },
    ...{ tab: page.tabId, origin: "https://shop.example", app: "shop", page: "A shop", door: "http" },
  });
  expect((await answerWait(hub, wait, "allow")).status).toBe(200);
  expect((await ended).status).toBe(200);
  const { frame } = page.received.find(({ frame: { type } }) => type === "answer") ?? {};
  expect(frame).toMatchObject({ ask: allowId, message: "Allowed by the command." });
  expect(await waitsOf(hub)).toEqual([]);
});

test("IN3: of two answers the first counts, and the later one is refused and says where it was answered", async () => {
  const hub = await startAskingHub();
  await connectPage(hub.url, askingPage);
  const ended = callTool(hub, "work");
  const wait = await onlyWait(hub);
  const own = { token: await signInPerson(hub), origin: hub.url };
  const [first, second] = await Promise.all([
    answerWait(hub, wait, { answer: "refuse", ...own }),
    answerWait(hub, wait, "allow"),
  ]);
  const [good, late] = first.status === 200 ? [first, second] : [second, first];
  expect([good.status, errorOf(late)]).toEqual([200, [409, "ask-failed"]]);
  const message =
    /^(Refused in the console|Allowed by the command) at .+ Your answer came later and changed nothing\.$/;
  expect(messageOf(late)).toMatch(message);
  expect((await ended).status).toBe(first === good ? 403 : 200);
  expect(errorOf(await answerWait(hub, { id: "none" }, "allow"))).toEqual([404, "route-not-found"]);
});

test("IN3: an answer in the page counts before one of the inbox that arrives later", async () => {
  const hub = await startAskingHub();
  const page = await connectPage(hub.url, { ...askingPage, handle: byHand });
  const ended = callTool(hub, "work");
  const call = await page.nextCall();
  page.ack(call.id);
  askInPage(page, call);
  const wait = await onlyWait(hub);
  const late = answerWait(hub, wait, "refuse");
  await page.next("answer");
  // The person in front of the page was faster than the frame.
  page.send({ type: "answered", id: call.id, ask: allowId, code: "cancelled" });
  page.result(call.id, "{}");
  expect(errorOf(await late)).toEqual([409, "ask-failed"]);
  expect((await ended).status).toBe(200);
  expect(await waitsOf(hub)).toEqual([]);
});

test("IN2: agents look and do not answer, with their token or a sign-in that derives from it", async () => {
  const hub = await startAskingHub();
  await connectPage(hub.url, askingPage);
  const ended = callTool(hub, "work");
  const wait = await onlyWait(hub, hub.token);
  const own = await signIn(hub, hub.token);
  for (const [token, origin] of [
    [hub.token, undefined],
    [own, hub.url],
    [own, undefined],
  ] as const)
    expect(errorOf(await answerWait(hub, wait, { answer: "allow", token, origin }))).toEqual([403, "option-refused"]);
  expect(errorOf(await answerWait(hub, wait, { answer: "allow", origin: hub.url }))).toEqual([401, "token-invalid"]);
  expect(errorOf(await answerWait(hub, wait, { answer: "allow", origin: "https://shop.example" }))).toEqual([
    403,
    "origin-not-allowed",
  ]);
  expect(await mintCode(hub, shellKey)).toBe("undefined");
  expect(
    (await answerWait(hub, wait, { answer: "allow", token: await signInPerson(hub), origin: hub.url })).status,
  ).toBe(200);
  expect((await ended).status).toBe(200);
});

test("IN1, IN2: in jwt mode each user sees and answers their own, with a token for terminals", async () => {
  const hub = await startAskingHub({ jwt: { secret } });
  const as = (subject: string) => signAgentToken({ secret, subject });
  const inPerson = (subject: string) => signTerminalToken({ secret, subject });
  await connectPage(hub.url, { ...askingPage, token: await signPageToken({ secret, subject: "ann" }) });
  const ended = callTool({ url: hub.url, token: await as("ann") }, "work");
  const wait = await onlyWait(hub, await as("ann"));
  expect(await waitsOf(hub, await as("bob"))).toEqual([]);
  const bob = await inPerson("bob");
  expect(errorOf(await answerWait(hub, wait, { answer: "allow", token: bob }))).toEqual([404, "route-not-found"]);
  expect(errorOf(await answerWait(hub, wait, { answer: "allow", token: await as("ann") }))).toEqual([
    403,
    "option-refused",
  ]);
  expect((await answerWait(hub, wait, { answer: "allow", token: await inPerson("ann") })).status).toBe(200);
  expect((await ended).status).toBe(200);
});

const question = {
  mode: "form",
  message: "Who?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
};

test.each(revisions)("IN4: a tool's question to a client of %s is answered in the inbox", async (revision) => {
  const hub = await startAskingHub();
  await connectMcpPage(hub, {
    offer: { tools: [{ name: "greet", inputSchema }] },
    handle: async (call) => call.say(JSON.stringify(await call.ask("elicitation/create", question))),
  });
  const client = await connectClient(hub, { revision, capabilities: { elicitation: { form: {} } } });
  const isOver = withResolvers<{ action: "cancel" }>();
  const asked = withResolvers<void>();
  client.setRequestHandler("elicitation/create", (_request, { mcpReq: { signal } }) => {
    asked.resolve();
    signal.addEventListener("abort", () => isOver.resolve({ action: "cancel" }));
    return isOver.promise;
  });
  const ended = client.callTool({ name: "greet", arguments: {} });
  const wait = await onlyWait(hub);
  expect(wait).toMatchObject({ kind: "question", message: "Who?", schema: question.requestedSchema, agent: "tester" });
  await asked.promise;
  const answer = { answer: "allow", content: { name: "Ann" } };
  expect((await answerWait(hub, wait, { answer })).status).toBe(200);
  // A client of the newest revision has no way to be told; it finds out with its own answer.
  if (revision === "2026-07-28") isOver.resolve({ action: "cancel" });
  const { content } = (await ended) as { content: { text: string }[] };
  expect(JSON.parse(content[0]?.text ?? "")).toEqual({ action: "accept", content: { name: "Ann" } });
  await isOver.promise;
});

test("IN4: the policy's question to a client is answered in the inbox, and the client's dialog is closed", async () => {
  const hub = await startAskingHub();
  const page = await connectPage(hub.url);
  const client = await connectOlderClient(hub, { elicitation: {} });
  const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const closed = withResolvers<void>();
  const asked = withResolvers<void>();
  client.setRequestHandler(ElicitRequestSchema, (_request, { signal }) => {
    asked.resolve();
    signal.addEventListener("abort", () => closed.resolve());
    return closed.promise.then(() => ({ action: "cancel" as const }));
  });
  const ended = client.callTool({ name: "work", arguments: { n: 1 } });
  const wait = await onlyWait(hub);
  expect(wait).toMatchObject({ kind: "approval", tool: "work", arguments: '{"n":1}', origin: "https://shop.example" });
  await asked.promise;
  expect(page.calls).toEqual([]);
  expect((await answerWait(hub, wait, "allow")).status).toBe(200);
  await closed.promise;
  expect(await ended).toMatchObject({ content: [{ text: "done" }] });
});

test("IN4: an agent's program is told that its question was answered, and its own answer counts for nothing", async () => {
  const hub = await startAskingHub();
  const page = await connectPage(hub.url);
  const agent = await connectAgent(hub.url, { token: hub.token, asks: ["elicitation/create"] });
  const ended = agent.call("work", { id: "c1" });
  const { frame } = await agent.next("ask");
  const wait = await onlyWait(hub);
  expect((await answerWait(hub, wait, "refuse")).status).toBe(200);
  expect((await agent.next("answered")).frame).toMatchObject({ id: "c1", ask: frame.ask });
  agent.send({ type: "answer", id: "c1", ask: frame.ask }, '{"action":"accept","content":{"allow":true}}');
  expect((await ended).frame).toMatchObject({ outcome: "rejected", code: "policy-declined" });
  expect(page.calls).toEqual([]);
});

test("IN3, IN5: a caller's own answer, and the end of its call, end a wait", async () => {
  const hub = await startAskingHub();
  await connectPage(hub.url);
  const agent = await connectAgent(hub.url, { token: hub.token, asks: ["elicitation/create"] });
  const allowed = agent.call("work", { id: "c1" });
  const first = await onlyWait(hub);
  agent.send({ type: "answer", id: "c1", ask: allowId }, '{"action":"accept","content":{"allow":true}}');
  await allowed;
  const late = await answerWait(hub, first, "refuse");
  expect(messageOf(late)).toMatch(/^Allowed by the client that called at /);
  const stopped = agent.call("work", { id: "c2" });
  const second = await onlyWait(hub);
  agent.send({ type: "cancel", id: "c2" });
  await stopped;
  expect([await waitsOf(hub), errorOf(await answerWait(hub, second, "allow"))]).toEqual([[], [409, "ask-failed"]]);
});

test("IN5: a wait in a page stays when one of a call's callers leaves", async () => {
  const hub = await startAskingHub();
  const page = await connectPage(hub.url, askingPage);
  const [first, second] = await Promise.all(
    ["first", "second"].map(() => connectAgent(hub.url, { token: hub.token, session: "s" })),
  );
  const ended = first?.call("work", { id: "c1", key: "k" });
  const wait = await onlyWait(hub);
  void second?.call("work", { id: "c2", key: "k" });
  await second?.next("ack");
  second?.send({ type: "cancel", id: "c2" });
  await second?.next("failure");
  expect((await answerWait(hub, await onlyWait(hub), "allow")).status).toBe(200);
  expect([(await ended)?.frame.type, page.calls.length, wait.kind]).toEqual(["result", 1, "approval"]);
});

test("IN4: an answer that was lost with the page's link is given again when the page repeats its question", async () => {
  const hub = await startAskingHub();
  const page = await connectPage(hub.url, { tools: ["greet"], handle: byHand });
  const agent = await connectAgent(hub.url, { token: hub.token, asks: ["elicitation/create"] });
  const ended = agent.call("greet", { id: "c1" });
  const { id } = await page.nextCall();
  page.ack(id);
  const ask = () =>
    page.send({ type: "ask", id, ask: "1", method: "elicitation/create" }, JSON.stringify({ message: "Who?" }));
  ask();
  expect((await answerWait(hub, await onlyWait(hub), "refuse")).status).toBe(200);
  const first = await page.next("answer");
  ask();
  expect(await page.next("answer")).toEqual(first);
  expect(await waitsOf(hub)).toEqual([]);
  page.result(id, "{}");
  await ended;
  expect(agent.received.filter(({ frame }) => frame.type === "ask")).toHaveLength(1);
});

test("IN6, IN8: a page adds no approval to a call that nobody asks about; wrong answers leave a question open", async () => {
  const hub = await startAskingHub();
  const page = await connectPage(hub.url, { tools: ["greet"], handle: byHand });
  const ended = callTool(hub, "greet");
  const call = await page.nextCall();
  page.ack(call.id);
  askInPage(page, { ...call, parameters: question });
  askInPage(page, { ...call, ask: "1", parameters: question });
  const wait = await onlyWait(hub);
  expect(wait).toMatchObject({ kind: "question", message: "Who?" });
  for (const wrong of [
    "yes",
    {},
    { answer: "allow", scope: "always" },
    { answer: "allow", content: { age: 7 } },
    { answer: "allow", more: 1 },
  ])
    expect(errorOf(await answerWait(hub, wait, { answer: wrong })), JSON.stringify(wrong)).toEqual([
      400,
      "request-malformed",
    ]);
  const answered = answerWait(hub, wait, { answer: { answer: "allow", content: { name: "Ann" } } });
  expect((await page.next("answer")).payload).toBe('{"action":"accept","content":{"name":"Ann"}}');
  page.send({ type: "answered", id: call.id, ask: "1" });
  expect((await answered).status).toBe(200);
  page.result(call.id, "{}");
  await ended;
});

test("IN1, IN7: what a terminal's program waits for is answered as well, and its arguments are the user's alone", async () => {
  const hub = await startAskingHub();
  const tool = { name: "work", inputSchema, _meta: terminalOnly };
  const { terminal } = await openBoth(hub, { ...askingPage, tools: [tool] });
  const ended = delegate(hub, terminal, { fields: { password: "4111" } });
  const wait = await onlyWait(hub);
  expect(wait).toMatchObject({ kind: "approval", tool: "work", door: "delegate" });
  expect(wait["arguments"]).toContain("4111");
  expect(JSON.stringify(await waitsOf(hub, hub.token))).not.toContain("4111");
  expect((await answerWait(hub, wait, "allow")).status).toBe(200);
  expect((await ended).status).toBe(200);
});

test("IN9: a stream has the list at once and after each change, and ends with its credential", async () => {
  const hub = await startAskingHub();
  await connectPage(hub.url, askingPage);
  const token = await signInPerson(hub);
  const stream = await openWaitsStream(hub, token);
  await expect.poll(() => stream.lists).toEqual([[]]);
  const ended = callTool(hub, "work");
  await expect.poll(() => stream.lists.at(-1)).toMatchObject([{ tool: "work" }]);
  await answerWait(hub, await onlyWait(hub), "allow");
  await ended;
  await expect.poll(() => stream.lists.at(-1)).toEqual([]);
  hub.rotate("another-token-of-this-test");
  await stream.ended;
});

test("IN10: pages of a refused origin wait until they are allowed, or are not listed again", async () => {
  const allowed: string[] = [];
  const hub = await startAskingHub({
    settings: { allowOrigin: (origin) => allowed.push(origin) > 0 } as HubSettings,
    allowedOrigins: () => allowed,
  });
  const knock = async (origin: string) => (await openPage(hub.url, { origin })).verdict();
  for (const origin of ["https://new.example", "https://new.example", "https://bad.example"]) await knock(origin);
  const [first, second] = await waitsOf(hub);
  expect([first, second]).toMatchObject([
    { kind: "origin", origin: "https://new.example" },
    { kind: "origin", origin: "https://bad.example" },
  ]);
  expect((await answerWait(hub, first as never, "allow")).status).toBe(200);
  expect((await answerWait(hub, second as never, "refuse")).status).toBe(200);
  expect(allowed).toEqual(["https://new.example"]);
  await connectPage(hub.url, { origin: "https://new.example" });
  await knock("https://bad.example");
  expect(await waitsOf(hub)).toEqual([]);
});

test("IN11: a tool that changed waits with both definitions, and what was allowed is that definition", async () => {
  const hub = await startHub({ shell: ownersKey, pin: true });
  const tool = (description: string) => ({ name: "work", description, inputSchema });
  const page = await connectPage(hub.url, { tools: [tool("Works.")] });
  await expect.poll(async () => (await callTool(hub, "work")).status).toBe(200);
  const offer = async (description: string) => {
    page.send({ type: "offer" }, JSON.stringify({ tools: [tool(description)] }));
    await page.settled();
  };
  await offer("Steals.");
  const wait = await onlyWait(hub);
  expect(wait).toMatchObject({ kind: "tool-change", tool: "work", origin: "https://shop.example" });
  expect([wait["before"], wait["definition"]].map(String)).toEqual([
    expect.stringContaining("Works."),
    expect.stringContaining("Steals."),
  ]);
  await offer("Steals all.");
  expect(errorOf(await answerWait(hub, wait, "allow"))).toEqual([404, "route-not-found"]);
  expect((await callTool(hub, "work")).status).not.toBe(200);
  await answerWait(hub, await onlyWait(hub), "allow");
  expect((await callTool(hub, "work")).status).toBe(200);
});

test("IN3, IN4: a conversation's call is decided in the inbox, once or for always, and shows that it was", async () => {
  const { hub, client } = await startWith(callOnce("pay"), {}, { shell: ownersKey });
  const tab = await connectPage(hub.url, { tools: ["pay"] });
  const waiting = () => (client.values["toolCalls"] as { id: string; status: string; decidedIn?: string }[])[0];
  const answer = client.run("send", "Pay", { tools: "page" });
  const wait = await onlyWait(hub);
  expect(wait).toMatchObject({
    kind: "approval",
    door: "model",
    tool: "pay",
    arguments: "{}",
    scopes: ["session", "always"],
  });
  await client.until(() => waiting()?.status === "waiting");
  expect((await answerWait(hub, wait, "allow")).status).toBe(200);
  await answer;
  expect([tab.calls.length, waiting()?.decidedIn]).toEqual([1, "inbox"]);
  const again = client.run("send", "Pay", { tools: "page" });
  const next = await onlyWait(hub);
  await client.until(() => waiting()?.status === "waiting");
  expect(await client.run("settleToolCall", waiting()?.id, false)).toBe(true);
  await again;
  const late = await answerWait(hub, next, "allow");
  expect(messageOf(late)).toMatch(/^Refused in its conversation at /);
});

function withResolvers<Value>() {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => (resolve = settle));
  return { promise, resolve };
}

function messageOf({ body }: OwnAnswer): string {
  return String(Object(body?.["error"])["message"]);
}
