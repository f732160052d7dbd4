import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import type { AiMessage } from "../element/index.ts";
import type { AiToolDecision, AiToolCallState } from "../element/index.ts";
import type { ApprovalRequest } from "../toolbox/index.ts";
import { button, connected, find, hasButton, shop, shown, start, turns, waitingCall } from "./talk.test-helper.ts";

const salesCall = { id: "s1", name: "parent-window_get_sales_data", arguments: '{"days":30}' };
const asked: AiMessage[] = [
  { id: "q", role: "user", content: "How were sales?" },
  { id: "a", role: "assistant", content: "", toolCalls: [salesCall] },
];

async function startRunning() {
  const all = await start({ messages: asked, state: connected });
  const tell = (status: AiToolCallState["status"], more: Partial<AiToolCallState> = {}) => {
    all.agent.tell({ loading: true, toolCalls: [{ ...salesCall, status, ...more }] });
    return shown();
  };
  await tell("running");
  return { ...all, tell };
}

test("a running call says how long and how far it is; done, it stays with what went in and came out", async () => {
  const { agent, element, clock, parent, tell } = await startRunning();
  expect(turns(element)[1]).toBe("Tool Sales in rows: Running · 0.0 s");
  clock.pass(3000);
  parent.progress({ toolCallId: "other", progress: 1, total: 2 });
  expect(element.querySelector("progress")?.checkVisibility()).toBe(false);
  parent.progress({ toolCallId: "s1", progress: 3, total: 4, message: "Reading May" });
  expect(turns(element)[1]).toBe("Tool Sales in rows: Running · 3.0 s");
  const bar = find(element, "progress", HTMLProgressElement);
  expect([bar.value, bar.max, find(element, ".progress-words", HTMLElement).textContent]).toEqual([
    3,
    4,
    "Reading May",
  ]);
  await tell("done", { result: '{"total":125000}' });
  expect([turns(element)[1], bar.checkVisibility()]).toEqual(["Tool Sales in rows: Done · 3.0 s", false]);
  const told: AiMessage = { id: "t", role: "tool", toolCallId: "s1", content: '{"total":125000}' };
  agent.tell({ messages: [...asked, told, { id: "b", role: "assistant", content: "Good." }], loading: false });
  await shown();
  expect(turns(element)).toEqual(["You: How were sales?", "Tool Sales in rows: Done · 3.0 s", "Assistant: Good."]);
  await userEvent.click(element.querySelectorAll("summary")[1] ?? element);
  await expect.poll(() => element.querySelector("pre[aria-label=Result]")?.textContent).toBe('{\n  "total": 125000\n}');
});

test("each outcome of a call is shown as text", async () => {
  const { element, tell } = await startRunning();
  await tell("failed", { result: '{"error":"It is broken.\u202E"}' });
  expect(turns(element)[1]).toContain("Failed");
  const why = find(element, ".call-problem", HTMLElement);
  expect(why.textContent).toBe("It is broken.⟨U+202E⟩");
  await tell("refused", { result: '{"error":"no"}' });
  expect([turns(element)[1], why.checkVisibility()]).toEqual([expect.stringContaining("Not allowed"), false]);
});

test("a tool's result is shown as text: markup is not parsed, and invisible characters are written as numbers", async () => {
  const { element, tell } = await startRunning();
  await tell("done", { result: '<img src="x" onerror="alert(1)">\u202E\u200B' });
  find(element, "details:last-of-type", HTMLDetailsElement).open = true;
  const result = find(element, "pre[aria-label=Result]", HTMLElement);
  await expect.poll(() => result.textContent).toBe('<img src="x" onerror="alert(1)">⟨U+202E⟩⟨U+200B⟩');
  expect([result.childElementCount, result.tabIndex]).toEqual([0, 0]);
});

test("a result of a megabyte is written out only when it is opened", async () => {
  const { element, tell } = await startRunning();
  await tell("done", { result: "x".repeat(1_000_000) });
  const result = find(element, "pre[aria-label=Result]", HTMLElement);
  expect(result.textContent).toBe("");
  find(element, "details:last-of-type", HTMLDetailsElement).open = true;
  await expect.poll(() => result.textContent.length).toBe(1_000_000);
});

type Clock = Awaited<ReturnType<typeof start>>["clock"];

/** Waits until nothing has moved for long enough. */
async function settle(clock: Clock, target: Element): Promise<void> {
  target.scrollIntoView({ block: "nearest" });
  await shown();
  clock.pass(1000);
}

/** A user's click, even on an element that is marked as disabled. */
const click = (target: Element) => userEvent.click(target, { force: true });

async function startWaiting(options: Parameters<typeof start>[0] = {}, asked: Partial<ApprovalRequest> = {}) {
  const all = await start({ state: connected, messages: [{ id: "q", role: "user", content: "Pay" }], ...options });
  const { approval, ...call } = waitingCall();
  all.agent.tell({ loading: true, toolCalls: [{ ...call, ...(approval && { approval: { ...approval, ...asked } }) }] });
  await shown();
  return { ...all, card: find(all.element, ".approval", HTMLElement) };
}

test("a pending call shows its tool, who asks, the origin, the exact arguments, two answers, and the rest behind one more step", async () => {
  const { agent, card, clock } = await startWaiting();
  expect([card.getAttribute("role"), card.getAttribute("aria-label")]).toEqual(["group", "May Pay run?"]);
  expect(card.textContent).toContain(`A tool of ${shop}. The tool asks for approval before it runs. Asked for by m.`);
  expect(card.querySelector("pre")?.textContent).toBe('{\n  "amount": 7,\n  "to": "ada⟨U+202E⟩"\n}');
  const expected: [string, AiToolDecision][] = [
    ["Allow once", { approved: true, scope: "once" }],
    ["Don't allow", { approved: false, scope: "once" }],
    ["Allow for this session", { approved: true, scope: "session" }],
    ["Always allow this tool", { approved: true, scope: "always" }],
    ["Never allow this tool", { approved: false, scope: "always" }],
  ];
  expect([...card.querySelectorAll("button")].map(({ textContent }) => textContent)).toEqual(
    expected.map(([name]) => name),
  );
  const inSight = () => [...card.querySelectorAll("button")].filter((one) => one.checkVisibility()).length;
  expect(inSight()).toBe(2);
  await userEvent.click(find(card, ".more summary", HTMLElement));
  expect(inSight()).toBe(5);
  for (const [name] of expected) {
    await settle(clock, button(card, name));
    await click(button(card, name));
  }
  expect(agent.settled).toEqual(expected.map(([, decision]) => ["call-1", decision]));
});

test("a question quotes the tool's description, and a destructive tool's says so in red and in words", async () => {
  const { card } = await startWaiting({}, { description: "Pays <b>it</b>.\u202E" });
  expect(find(card, "blockquote", HTMLElement).textContent).toBe("Pays <b>it</b>.⟨U+202E⟩");
  const plain = getComputedStyle(button(card, "Allow once")).backgroundColor;
  expect(card.textContent).not.toContain("delete or overwrite");
  const { card: red } = await startWaiting({}, { destructive: true });
  expect(red.textContent).toContain("This tool may delete or overwrite something, by its own word.");
  const danger = getComputedStyle(find(red, ".destroys", HTMLElement)).color;
  const { backgroundColor } = getComputedStyle(button(red, "Allow once"));
  expect([backgroundColor, backgroundColor === plain]).toEqual([danger, false]);
});

test("a title without end is cut, what is piled upon a letter stays in its line, and long arguments say so", async () => {
  const title = `Pay e${"\u0301".repeat(60)} ${"W".repeat(1000)}`;
  const { card } = await startWaiting({}, { title, arguments: { note: "y".repeat(1_000_000) } });
  expect(find(card, "strong", HTMLElement).textContent).toHaveLength(121);
  const question = find(card, ".question", HTMLElement);
  expect([question.clientHeight < 160, getComputedStyle(question).overflow]).toEqual([true, "clip"]);
  expect(card.querySelector("pre")?.textContent).toContain("y".repeat(1_000_000));
  expect(card.textContent).toMatch(/1.000.016 characters\. Scroll to read them all/);
});

test("where a tool has changed, what it said when it was allowed stands beside what it says now, with the words that differ marked", async () => {
  const before = [{ text: "Pays <b>the bill</b>" }, { text: ".", differs: true }] as const;
  const after = [{ text: "Pays <b>the bill</b>" }, { text: " of everybody\u202E", differs: true }] as const;
  const { card } = await startWaiting({}, { changed: { before, after } });
  expect([...card.querySelectorAll("section")].map(({ textContent }) => textContent)).toEqual([
    "When you allowed itPays <b>the bill</b>.",
    "NowPays <b>the bill</b> of everybody⟨U+202E⟩",
  ]);
  expect(["del", "ins"].map((tag) => find(card, tag, HTMLElement).textContent)).toEqual([".", " of everybody⟨U+202E⟩"]);
  expect(card.querySelector(":scope > pre")?.textContent).toContain('"amount": 7');
});

test("where each call is asked about, the answers hold for one call", async () => {
  const { card } = await startWaiting({}, { once: true });
  expect([...card.querySelectorAll("button")].map(({ textContent }) => textContent)).toEqual([
    "Allow once",
    "Don't allow",
  ]);
});

test("only the user's own click or key decides, and only after everything has been still", async () => {
  const { agent, card, clock, element } = await startWaiting();
  const allow = button(card, "Allow once");
  await click(allow);
  expect([agent.settled, allow.getAttribute("aria-disabled")]).toEqual([[], "true"]);
  expect(find(card, "[role=alert]", HTMLElement).textContent).toMatch(/did not count.* Click again\.$/);
  await settle(clock, allow);
  expect(allow.getAttribute("aria-disabled")).toBe("false");
  allow.click();
  allow.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  expect(agent.settled).toEqual([]);
  const disturbances = [
    () => window.dispatchEvent(new Event("focus")),
    () => document.dispatchEvent(new Event("visibilitychange")),
  ];
  for (const disturb of disturbances) {
    await settle(clock, allow);
    disturb();
    await click(allow);
    expect(agent.settled).toEqual([]);
  }
  await settle(clock, allow);
  const filler = document.createElement("p");
  filler.style.height = "40px";
  find(element, "[role=log]", HTMLElement).prepend(filler);
  await expect.poll(() => allow.getAttribute("aria-disabled")).toBe("true");
  allow.focus();
  await settle(clock, allow);
  await userEvent.keyboard("{Enter}");
  expect(agent.settled).toEqual([["call-1", { approved: true, scope: "once" }]]);
});

test("after one decision the next question counts only after a while", async () => {
  const { agent, element, clock } = await startWaiting();
  agent.tell({ toolCalls: [waitingCall(), waitingCall({ id: "call-2" })] });
  await shown();
  const [first, second] = element.querySelectorAll(".approval");
  await settle(clock, first ?? element);
  await click(button(first ?? element, "Allow once"));
  await click(button(second ?? element, "Allow once"));
  expect(agent.settled.map(([id]) => id)).toEqual(["call-1"]);
});

test("a question takes the keyboard only from somebody who does nothing with it, never to a button; it is given back", async () => {
  const { agent, element, field, clock } = await start({ messages: [{ id: "q", role: "user", content: "Pay" }] });
  const ask = (...ids: string[]) => {
    agent.tell({ loading: true, toolCalls: ids.map((id) => waitingCall({ id })) });
    return shown();
  };
  await userEvent.fill(field, "I write");
  clock.pass(5000);
  await ask("one");
  expect(document.activeElement).toBe(field);
  await userEvent.fill(field, "");
  await userEvent.keyboard("a{Backspace}");
  await ask("one", "two");
  expect(document.activeElement).toBe(field);
  clock.pass(5000);
  await ask("one", "two", "three");
  expect(document.activeElement).toBe(element.querySelectorAll(".approval")[2]);
  await ask("one", "two");
  expect(document.activeElement).toBe(field);
});

test("a question is announced at once, and only once", async () => {
  const { agent, announced } = await startWaiting();
  agent.tell({ content: "More", toolCalls: [waitingCall()] });
  await shown();
  expect(announced.filter((text) => text.startsWith("!"))).toEqual(["! Your approval is needed: may Pay run?"]);
});

test("a window of a question that is out of sight makes room for another one", async () => {
  const reviews: { signal: AbortSignal; decide: (decision: AiToolDecision) => void }[] = [];
  const { agent, card, clock } = await startWaiting({
    askElsewhere: (_, signal) => new Promise((decide) => reviews.push({ signal, decide })),
  });
  const review = button(card, "Review in a window");
  for (let count = 1; count <= 2; count++) {
    await settle(clock, review);
    await click(review);
    expect(reviews).toHaveLength(count);
  }
  expect(reviews.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  reviews[0]?.decide({ approved: true, scope: "always" });
  reviews[1]?.decide({ approved: false, scope: "once" });
  await expect.poll(() => agent.settled).toEqual([["call-1", { approved: false, scope: "once" }]]);
});

test("a framed window has no answers of its own: they are asked for in a window, which the question's end closes", async () => {
  const reviews: {
    request: unknown;
    signal: AbortSignal;
    decide: (decision: AiToolDecision) => void;
    fail: (error: Error) => void;
  }[] = [];
  const { agent, card, clock } = await startWaiting({
    askElsewhere: (request, signal) => new Promise((decide, fail) => reviews.push({ request, signal, decide, fail })),
  });
  expect([...card.querySelectorAll("button")].map(({ textContent }) => textContent)).toEqual(["Review in a window"]);
  const review = button(card, "Review in a window");
  review.click();
  expect(reviews).toEqual([]);
  await settle(clock, review);
  await click(review);
  expect(reviews[0]?.request).toEqual(waitingCall().approval);
  reviews[0]?.fail(new Error("The browser blocked the window: allow popups for this page."));
  await expect.poll(() => card.textContent).toContain("allow popups");
  await settle(clock, review);
  await click(review);
  await click(review);
  expect(reviews).toHaveLength(2);
  reviews[1]?.decide({ approved: true, scope: "once" });
  await expect.poll(() => agent.settled).toEqual([["call-1", { approved: true, scope: "once" }]]);
  await settle(clock, review);
  await click(review);
  agent.tell({ toolCalls: [waitingCall({ status: "refused", result: "no" })] });
  await shown();
  reviews[2]?.decide({ approved: true, scope: "always" });
  await shown();
  expect([reviews[2]?.signal.aborted, agent.settled.length, hasButton(card, "Review in a window")]).toEqual([
    true,
    1,
    false,
  ]);
});
