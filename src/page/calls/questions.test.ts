import { describe, expect, test, vi } from "vitest";
import type { ApprovalDecision, ApprovalRequest, Approve, CallContext, ToolDefinition } from "../../toolbox/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { dialogShown } from "../dialog/dialog.ts";
import { call, connectedPage, endings } from "../test-support/page-under-test.test-helper.ts";

const asks = ["elicitation/create", "sampling/createMessage"] as const;
const requestedSchema = { type: "object", properties: { goal: { type: "number" } } };

function asking(ask: (context: CallContext) => Promise<object>): ToolDefinition {
  return { name: "work", execute: async (_input, context) => JSON.stringify(await ask(context)) };
}

const askGoal = asking(({ ask }) => ask({ message: "Which goal?", requestedSchema }));
const askModel = asking(({ sample }) => sample({ messages: [], maxTokens: 5 }));

/** The text that a tool returned. */
function textIn(payload: string | undefined): unknown {
  const { content } = JSON.parse(payload ?? "{}") as { content: readonly { text: string }[] };
  return JSON.parse(content[0]?.text ?? "null");
}

test("a question goes to the caller that can answer it, and the answer to the handler", async () => {
  const page = await connectedPage({ tools: [askGoal] });
  await call(page, page.hub, { asks });
  const [question] = page.hub.heard("ask");
  expect(question).toMatchObject({ id: "c1", method: "elicitation/create" });
  expect(JSON.parse(question?.payload ?? "")).toEqual({ message: "Which goal?", requestedSchema });
  const answer: JsonObject = { action: "accept", content: { goal: 7 } };
  await page.hub.say({ type: "answer", id: "c1", ask: question?.ask ?? "" }, JSON.stringify(answer));
  expect(textIn(endings(page.hub)[0])).toEqual(answer);
  expect(page.loaded).not.toContain("dialog");
});

test("questions of several calls do not mix", async () => {
  const page = await connectedPage({ tools: [askGoal] });
  await call(page, page.hub, { id: "c1", asks });
  await call(page, page.hub, { id: "c2", asks });
  for (const { id, ask } of page.hub.heard("ask")) {
    const payload = JSON.stringify({ action: "accept", content: { for: id } });
    await page.hub.say({ type: "answer", id, ask }, payload);
  }
  for (const id of ["c1", "c2"]) expect(textIn(endings(page.hub, id)[0])).toMatchObject({ content: { for: id } });
});

test("a question that was open when the link was cut is asked again, once it is clear that the call goes on", async () => {
  const page = await connectedPage({ tools: [askGoal] });
  await call(page, page.hub, { asks });
  await page.hub.close({ code: 1006, reason: "cut off" });
  await page.browser.clock.advance(500);
  const again = await page.browser.hub.welcome();
  await call(page, again, { asks, resume: true });
  const [question] = again.heard("ask");
  expect(question).toMatchObject({ id: "c1", ask: page.hub.heard("ask")[0]?.ask });
  await again.say({ type: "answer", id: "c1", ask: question?.ask ?? "" }, '{"action":"decline"}');
  await call(page, again, { asks, resume: true });
  expect([again.heard("ask").length, textIn(endings(again)[0])]).toEqual([1, { action: "decline" }]);
});

test("a question that was answered is not asked again, though its call goes on", async () => {
  const page = await connectedPage({
    tools: [
      asking(async ({ ask }) => {
        await ask({ message: "First?" });
        return ask({ message: "Second?" });
      }),
    ],
  });
  await call(page, page.hub, { asks });
  await page.hub.say({ type: "answer", id: "c1", ask: page.hub.heard("ask")[0]?.ask ?? "" }, '{"action":"accept"}');
  await call(page, page.hub, { asks, resume: true });
  const asked = page.hub.heard("ask").map(({ payload }) => (JSON.parse(payload) as { message: string }).message);
  expect(asked).toEqual(["First?", "Second?", "Second?"]);
});

test("an answer that cannot be read, or says why there is none, fails the question and not the page", async () => {
  const answers = [
    { header: {}, payload: "[]", words: "could not be read" },
    { header: {}, payload: "{", words: "could not be read" },
    { header: { code: "ask-failed", message: "Nobody is there." }, payload: "", words: "Nobody is there." },
  ];
  for (const { header, payload, words } of answers) {
    const page = await connectedPage({ tools: [askGoal] });
    await call(page, page.hub, { asks });
    const ask = page.hub.heard("ask")[0]?.ask ?? "";
    await page.hub.say({ type: "answer", id: "c1", ask, ...header }, payload);
    await page.hub.say({ type: "answer", id: "c1", ask }, "{}");
    expect(endings(page.hub)).toEqual([expect.stringContaining(words)]);
  }
});

test("P43: a question that the caller cannot take, or turns down for that, is asked in the page", async () => {
  for (const canAsk of [false, true]) {
    const page = await connectedPage({ tools: [askGoal] });
    await call(page, page.hub, canAsk ? { asks } : {});
    for (const { ask } of page.hub.heard("ask")) {
      await page.hub.say({ type: "answer", id: "c1", ask, code: "ask-unsupported" });
    }
    expect(page.dialog.map(({ parameters }) => parameters)).toEqual([{ message: "Which goal?", requestedSchema }]);
    page.dialog[0]?.answer({ action: "accept", content: { goal: 7 } });
    await page.browser.clock.advance(0);
    expect(textIn(endings(page.hub)[0])).toEqual({ action: "accept", content: { goal: 7 } });
  }
});

test("P43: a dialog of a call that is shown is a log of that call", async () => {
  const page = await connectedPage({ tools: [askGoal] });
  await call(page, page.hub);
  page.dialog[0]?.signal.dispatchEvent(
    new CustomEvent(dialogShown, { detail: "The page waits for its user: Which goal?" }),
  );
  await page.browser.clock.advance(0);
  expect(page.hub.heard("log")).toMatchObject([
    { id: "c1", level: "notice", payload: '"The page waits for its user: Which goal?"' },
  ]);
});

test("P43: a call that ends closes the dialog that it had opened", async () => {
  const page = await connectedPage({ tools: [askGoal] });
  await call(page, page.hub);
  expect(page.dialog[0]?.signal.aborted).toBe(false);
  await page.hub.say({ type: "cancel", id: "c1" });
  expect(page.dialog[0]?.signal.aborted).toBe(true);
  expect(endings(page.hub)).toEqual(["cancelled"]);
});

test("P43: a model is asked through the caller only", async () => {
  const page = await connectedPage({ tools: [askModel] });
  await call(page, page.hub);
  expect(endings(page.hub)).toEqual([expect.stringContaining("ask-unsupported")]);
  await call(page, page.hub, { id: "c2", asks });
  const ask = page.hub.heard("ask")[0]?.ask ?? "";
  await page.hub.say({ type: "answer", id: "c2", ask }, '{"model":"m"}');
  expect(textIn(endings(page.hub, "c2")[0])).toEqual({ model: "m" });
});

test("where what asks could not be loaded, the tool fails with what to do, as one that ran; the next call loads it", async () => {
  const page = await connectedPage({ tools: [askGoal] });
  vi.doMock("./questions.ts", () => {
    throw new Error("Failed to fetch");
  });
  await call(page, page.hub, { id: "c1", asks });
  vi.doUnmock("./questions.ts");
  const [result] = page.hub.heard("result");
  expect(result).toMatchObject({ id: "c1", isError: true });
  expect(JSON.parse(result?.payload ?? "")).toMatchObject({
    content: [{ text: expect.stringMatching(/could not be loaded.*handler ran up to.*that hub must run/) as string }],
    _meta: { "pagewire/code": "ask-failed" },
  });
  await call(page, page.hub, { id: "c2", asks });
  expect(page.hub.heard("ask")).toMatchObject([{ id: "c2" }]);
});

test("PO11: a call that comes with `approve` runs once the person in front of the page has allowed it", async () => {
  const asked: ApprovalRequest[] = [];
  let approved = false;
  const approve: Approve = async (request) => {
    asked.push(request);
    return { approved, scope: "once" };
  };
  let runs = 0;
  const says = { description: "Works.", annotations: { destructiveHint: true } };
  const tool: ToolDefinition = { name: "work", ...says, execute: () => String(++runs) };
  const dialog = async () => ({ askUser: () => Promise.reject(new Error("Not asked.")), approve });
  const page = await connectedPage({ tools: [tool] }, { chunks: { dialog } });
  await call(page, page.hub, { approve: true, key: "k", input: { amount: 3 } });
  expect([endings(page.hub), runs]).toEqual([["rejected"], 0]);
  expect(page.hub.heard("failure")[0]).toMatchObject({ ran: "no", code: "policy-declined" });
  approved = true;
  await call(page, page.hub, { id: "c2", approve: true, key: "k", input: { amount: 3 } });
  expect(runs).toBe(1);
  expect(asked).toEqual(
    ["c1", "c2"].map((callId) => ({
      callId,
      tool: "work",
      description: "Works.",
      destructive: true,
      arguments: { amount: 3 },
      agent: { name: "tester", version: "1.0" },
      reason: "The hub's policy wants each such call to be allowed.",
      once: true,
    })),
  );
});

test("PO11: a tool that is replaced while the person is asked does not run by that answer", async () => {
  const runs: string[] = [];
  const work = (description: string): ToolDefinition => ({
    ...{ name: "work", description },
    execute: () => void runs.push(description),
  });
  let replace = (): void => {};
  const approve: Approve = async () => {
    replace();
    return { approved: true, scope: "once" };
  };
  const dialog = async () => ({ askUser: () => Promise.reject(new Error("Not asked.")), approve });
  const page = await connectedPage({}, { chunks: { dialog } });
  let registered = page.page.registerTool(work("Saves."));
  replace = () => {
    registered.remove();
    registered = page.page.registerTool(work("Deletes."));
  };
  await call(page, page.hub, { approve: true });
  expect(page.hub.heard("failure")[0]).toMatchObject({ ran: "no", code: "policy-declined" });
  expect(runs).toEqual([]);
  await call(page, page.hub, { id: "c2", approve: true });
  expect(runs).toEqual(["Deletes."]);
});

test("PO11: where the dialog cannot be loaded, and where the call is called off while it is shown, nothing runs", async () => {
  let runs = 0;
  const tool: ToolDefinition = { name: "work", execute: () => String(++runs) };
  const failing = await connectedPage(
    { tools: [tool] },
    { chunks: { dialog: () => Promise.reject(new Error("Offline.")) } },
  );
  await call(failing, failing.hub, { approve: true });
  expect(endings(failing.hub)).toEqual(["rejected"]);
  let allow = () => {};
  const approve: Approve = () => new Promise((resolve) => (allow = () => resolve({ approved: true, scope: "once" })));
  const dialog = async () => ({ askUser: () => Promise.reject(new Error("Not asked.")), approve });
  const page = await connectedPage({ tools: [tool] }, { chunks: { dialog } });
  await call(page, page.hub, { approve: true });
  await page.hub.say({ type: "cancel", id: "c1" });
  allow();
  await page.browser.clock.advance(0);
  expect([endings(page.hub), runs]).toEqual([["cancelled"], 0]);
});

describe("a question in the page that the hub may answer, too", () => {
  const tool: ToolDefinition = { name: "work", execute: () => "worked" };
  const asked = { id: "c1", ask: "pagewire/allow" };
  const worked = '{"content":[{"type":"text","text":"worked"}]}';

  /** A page whose dialog stays open until it is answered, or its signal aborts. */
  async function openDialogs() {
    const shown: { readonly signal: AbortSignal; allow(): void }[] = [];
    const approve: Approve = (_, signal) =>
      new Promise((resolve) => {
        const end = (approved: boolean) => () => resolve({ approved, scope: "once" } as ApprovalDecision);
        signal.addEventListener("abort", end(false));
        shown.push({ signal, allow: end(true) });
      });
    const dialog = async () => ({ askUser: () => Promise.reject(new Error("Not asked.")), approve });
    const page = await connectedPage({ tools: [tool] }, { chunks: { dialog } });
    await call(page, page.hub, { approve: true });
    return { page, shown };
  }

  test("PO11: the hub's answer counts if it comes first, and the dialog closes and learns who gave it", async () => {
    const { page, shown } = await openDialogs();
    expect(page.hub.heard("ask")).toMatchObject([{ ...asked, method: "elicitation/create", inPage: true }]);
    const answer = { type: "answer", ...asked, message: "Allowed in the console." } as const;
    await page.hub.say(answer, '{"action":"accept","content":{"allow":true}}');
    expect(page.hub.heard("answered")).toMatchObject([asked]);
    expect([endings(page.hub), shown[0]?.signal.reason]).toEqual([[worked], "Allowed in the console."]);
    await page.hub.say(answer, '{"action":"decline"}');
    expect([endings(page.hub), page.hub.heard("answered").length]).toEqual([[worked], 1]);
  });

  test("no dialog is opened for a call that ended while the dialog was loaded", async () => {
    const shown: AbortSignal[] = [];
    const approve: Approve = (_, signal) => new Promise(() => shown.push(signal));
    let load = () => {};
    const isLoaded = new Promise<void>((resolve) => (load = resolve));
    const dialog = async () => {
      await isLoaded;
      return { askUser: () => Promise.reject(new Error("Not asked.")), approve };
    };
    const page = await connectedPage({ tools: [tool] }, { chunks: { dialog } });
    await call(page, page.hub, { approve: true });
    await page.hub.say({ type: "cancel", id: "c1" });
    load();
    await page.browser.clock.advance(0);
    expect([shown, page.hub.heard("ask")]).toEqual([[], []]);
  });

  test("the person in front of the page counts if they are first, and the hub is told so", async () => {
    const { page, shown } = await openDialogs();
    shown[0]?.allow();
    await page.browser.clock.advance(0);
    expect(page.hub.heard("answered")).toMatchObject([{ ...asked, code: "cancelled" }]);
    await page.hub.say({ type: "answer", ...asked }, '{"action":"decline"}');
    expect(endings(page.hub)).toEqual([worked]);
  });

  test("a hub that cannot answer leaves it to the person in front of the page", async () => {
    const { page, shown } = await openDialogs();
    await page.hub.say({ type: "answer", ...asked, code: "ask-unsupported", message: "Nobody." });
    await page.hub.say({ type: "answer", ...asked }, "no JSON");
    expect([endings(page.hub), shown[0]?.signal.aborted]).toEqual([[], false]);
    shown[0]?.allow();
    await page.browser.clock.advance(0);
    expect(endings(page.hub)).toEqual([worked]);
  });

  test("a tool's form is offered to the hub while it is shown; other questions are not", async () => {
    const page = await connectedPage({ tools: [askGoal, { ...askModel, name: "model" }] });
    await call(page, page.hub, {});
    const [question] = page.hub.heard("ask");
    expect(question).toMatchObject({ id: "c1", inPage: true });
    expect(JSON.parse(question?.payload ?? "")).toMatchObject({ message: "Which goal?" });
    await page.hub.say(
      { type: "answer", id: "c1", ask: question?.ask ?? "" },
      '{"action":"accept","content":{"goal":7}}',
    );
    expect(textIn(endings(page.hub)[0])).toEqual({ action: "accept", content: { goal: 7 } });
    expect(page.dialog[0]?.signal.aborted).toBe(true);
    await call(page, page.hub, { id: "c2", name: "model" });
    expect(page.hub.heard("ask")).toHaveLength(1);
  });
});
