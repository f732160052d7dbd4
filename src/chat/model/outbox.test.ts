import { expect, test } from "vitest";
import { FakeAgent } from "../fake-agent.test-helper.ts";
import { createFakeClock } from "../../testing/index.ts";
import { Outbox, MAX_QUEUED } from "./outbox.ts";
import type { Prompt } from "./prompt.ts";
import { toolWait } from "./tool-wait.ts";

const shop = "https://shop.example";
const own = (text: string): Prompt => ({ text, images: [] });
const theirs = (text: string): Prompt => ({ text, images: [], from: shop });

function prepare({ agent = new FakeAgent(), waiting = [] as readonly Prompt[] } = {}) {
  const givenBack: unknown[] = [];
  const hub = { hasTools: true };
  const clock = createFakeClock();
  const outbox = new Outbox({
    agent,
    messages: () => agent.messages,
    waiting,
    hasTools: () => hub.hasTools,
    clock,
    onChange: () => {},
    giveBack: (prompt, conversation) => givenBack.push([prompt, conversation]),
  });
  for (const name of ["messages-changed", "loading-changed"])
    agent.addEventListener(`ai-agent:${name}`, () => outbox.look());
  return { agent, outbox, givenBack, hub, clock };
}

/** Waits until all effects have happened. */
const settled = () => new Promise<void>((resolve) => setTimeout(resolve));

test("an app's words are sent in its name, for that send only", async () => {
  const { agent, outbox } = prepare();
  outbox.send(theirs("Hello"));
  expect(agent.from).toBeUndefined();
  agent.answer("Hi");
  await settled();
  outbox.send(own("And I"));
  expect(agent.asked).toMatchObject([
    { command: "send", prompt: "Hello", from: shop },
    { command: "send", prompt: "And I", from: undefined },
  ]);
});

test("pictures are sent beside the text, and alone", async () => {
  const { agent, outbox } = prepare();
  const image = { type: "image", url: "data:image/png;base64,AA" };
  outbox.send({ text: "Look", images: [image.url] });
  agent.answer("Nice");
  await settled();
  outbox.send({ text: "", images: [image.url] });
  expect(agent.asked.map(({ prompt }) => prompt)).toEqual([[{ type: "text", text: "Look" }, image], [image]]);
});

test("an app's prompts wait until the hub has its tools", () => {
  const { agent, outbox, hub } = prepare();
  hub.hasTools = false;
  outbox.queueUp(theirs("Sum up"));
  expect([agent.asked.length, outbox.queue.length]).toEqual([0, 1]);
  hub.hasTools = true;
  outbox.look();
  expect(agent.asked).toMatchObject([{ command: "send", prompt: "Sum up" }]);
});

test("a question waits for the app's tools only so long, and is then asked without them, as are those after it", async () => {
  const { agent, outbox, hub, clock } = prepare();
  hub.hasTools = false;
  outbox.send(own("First"));
  expect([outbox.isBusy, outbox.isWaiting, outbox.sending?.text, agent.asked]).toEqual([true, true, "First", []]);
  await clock.advance(toolWait - 1);
  expect(agent.asked).toEqual([]);
  await clock.advance(1);
  expect([agent.asked.length, outbox.isWaiting]).toEqual([1, false]);
  agent.answer("Ok");
  await settled();
  outbox.send(own("Second"));
  expect(agent.asked).toHaveLength(2);
  agent.answer("Ok");
  await settled();
  hub.hasTools = true;
  outbox.look();
  hub.hasTools = false;
  void outbox.regenerate();
  expect([agent.asked.length, outbox.isWaiting]).toEqual([2, true]);
  hub.hasTools = true;
  outbox.look();
  await settled();
  expect([agent.asked.at(-1)?.command, clock.pending]).toEqual(["regenerate", 0]);
});

test("the time in which the app's tools may come begins when there is a way to the hub", async () => {
  const { agent, outbox, hub, clock } = prepare();
  agent.addEventListener("ai-agent:connection-changed", () => outbox.look());
  agent.tell({ connection: "waiting" });
  hub.hasTools = false;
  outbox.send(own("First"));
  await clock.advance(toolWait - 1);
  agent.tell({ connection: "connecting" });
  agent.tell({ connection: "open" });
  await clock.advance(toolWait - 1);
  expect([agent.asked, outbox.isWaiting]).toEqual([[], true]);
  hub.hasTools = true;
  outbox.look();
  await settled();
  expect([agent.asked.length, clock.pending]).toEqual([1, 0]);
});

test("a question is given back where the hub stays away, and not asked without the tools when it returns", async () => {
  const { agent, outbox, hub, clock, givenBack } = prepare();
  agent.tell({ connection: "waiting" });
  hub.hasTools = false;
  outbox.send(own("First"));
  await clock.advance(toolWait);
  await settled();
  expect([agent.asked, givenBack, outbox.failed]).toEqual([[], [[own("First"), "c1"]], own("First")]);
  expect(outbox.problem?.message).toContain("The hub does not answer");
  outbox.send(own("Second"));
  hub.hasTools = true;
  outbox.look();
  await settled();
  expect(agent.asked).toMatchObject([{ prompt: "Second" }]);
});

test("a question that waits is not asked in another conversation, nor after the window's end, and not lost", async () => {
  const { agent, outbox, hub, givenBack } = prepare();
  agent.addEventListener("ai-agent:conversation-changed", () => outbox.look());
  hub.hasTools = false;
  outbox.send(own("For the first"));
  agent.tell({ conversation: "c2" });
  await settled();
  outbox.send(own("For the second"));
  outbox.close();
  hub.hasTools = true;
  outbox.look();
  await settled();
  expect([agent.asked, givenBack]).toEqual([
    [],
    [
      [own("For the first"), "c1"],
      [own("For the second"), "c2"],
    ],
  ]);
});

test("what failed in one conversation is not tried again in another", async () => {
  const { agent, outbox } = prepare();
  agent.addEventListener("ai-agent:conversation-changed", () => outbox.look());
  outbox.send(own("Refused"));
  agent.refuse(new Error("not allowed"));
  await settled();
  expect([outbox.problem?.message, outbox.failed]).toEqual(["not allowed", own("Refused")]);
  agent.tell({ conversation: "c2" });
  expect([outbox.problem, outbox.failed]).toEqual([undefined, undefined]);
});

test("what is forgotten while it is answered, or after it failed, neither comes back nor is tried again", async () => {
  const { agent, outbox, givenBack } = prepare({ agent: new FakeAgent({ connection: "local", conversation: null }) });
  outbox.send(own("On its way"));
  outbox.forget();
  agent.abort();
  agent.tell({ messages: [] });
  await settled();
  expect([givenBack, outbox.failed, outbox.problem, outbox.isBusy]).toEqual([[], undefined, undefined, false]);
  outbox.send(own("Refused"));
  agent.refuse(new Error("not allowed"));
  await settled();
  expect([outbox.failed, outbox.problem?.message]).toEqual([own("Refused"), "not allowed"]);
  outbox.forget();
  expect([outbox.failed, outbox.problem]).toEqual([undefined, undefined]);
  outbox.send(own("Next"));
  agent.fail(new Error("broken"));
  await settled();
  expect(outbox.failed).toEqual(own("Next"));
});

test("a forgotten question that waits for tools is never asked", async () => {
  const { agent, outbox, hub, clock, givenBack } = prepare();
  hub.hasTools = false;
  outbox.send(own("Waits"));
  outbox.forget();
  await settled();
  expect([agent.asked, givenBack, outbox.failed, outbox.isBusy, clock.pending]).toEqual([[], [], undefined, false, 0]);
});

test("the user's word sends a waiting message of the app's also where its tools stay away", async () => {
  const { agent, outbox, hub, clock } = prepare({ waiting: [theirs("One"), theirs("Two")] });
  hub.hasTools = false;
  outbox.release();
  await clock.advance(toolWait);
  agent.answer("Ok");
  await settled();
  expect(agent.asked.map(({ prompt }) => prompt)).toEqual(["One", "Two"]);
});

test("an app's prompts during an answer are queued, and sent in order, one at a time", async () => {
  const { agent, outbox } = prepare();
  outbox.send(own("First"));
  outbox.queueUp(theirs("One"));
  outbox.queueUp(theirs("Two"));
  expect(outbox.send(own("Too early"))).toBe(false);
  for (const text of ["First", "One", "Two"]) {
    expect(agent.asked.at(-1)?.prompt).toBe(text);
    agent.answer("Ok");
    await settled();
  }
  expect([agent.asked.length, outbox.queue.length, outbox.isBusy]).toEqual([3, 0, false]);
});

test("after a stop or a failure the queue waits for the user's word; what failed of it comes first again", async () => {
  const { agent, outbox, givenBack } = prepare();
  outbox.send(own("First"));
  outbox.queueUp(theirs("One"));
  outbox.queueUp(theirs("Two"));
  outbox.stop();
  await settled();
  expect([outbox.isHeld, outbox.queue.map(({ text }) => text), givenBack]).toEqual([
    true,
    ["One", "Two"],
    [[own("First"), "c1"]],
  ]);
  outbox.release();
  agent.fail(new Error("broken"));
  await settled();
  expect([outbox.isHeld, outbox.queue.map(({ text }) => text), givenBack.length]).toEqual([true, ["One", "Two"], 1]);
  for (const prompt of outbox.queue) outbox.discard(prompt);
  expect([outbox.isHeld, outbox.queue]).toEqual([false, []]);
});

test("more messages than can wait are refused, and those of before a reload wait for the user's word", async () => {
  const { agent, outbox } = prepare({ waiting: [theirs("Before")] });
  for (let count = 1; count < MAX_QUEUED; count++) expect(outbox.queueUp(theirs(String(count)))).toBe(true);
  expect(outbox.queueUp(theirs("Too many"))).toBe(false);
  expect(agent.asked).toEqual([]);
  outbox.release();
  expect(agent.asked[0]).toMatchObject({ prompt: "Before", from: shop });
});

test("an answer that another window asked for is awaited too", async () => {
  const { agent, outbox } = prepare();
  agent.tell({ loading: true });
  outbox.queueUp(theirs("One"));
  expect(agent.asked).toEqual([]);
  agent.tell({ loading: false });
  expect(agent.asked[0]?.prompt).toBe("One");
});

test("a prompt that the conversation did not take is given back; one whose beginning of an answer is kept is not", async () => {
  const { agent, outbox, givenBack } = prepare();
  outbox.send(own("Lost"));
  agent.fail(new Error("broken"));
  await settled();
  expect([givenBack, outbox.failed]).toEqual([[[own("Lost"), "c1"]], own("Lost")]);
  outbox.send(own("Refused"));
  agent.refuse(new Error("not allowed"));
  await settled();
  expect([givenBack.length, outbox.problem?.message]).toEqual([2, "not allowed"]);
  outbox.send(own("Kept"));
  const kept = agent.messages;
  agent.fail(new Error("broken"));
  agent.tell({ messages: kept });
  await settled();
  expect([givenBack.length, outbox.failed, outbox.problem]).toEqual([2, undefined, undefined]);
});

test("what was taken before the connection was lost is given back where the hub that comes back did not keep it", async () => {
  const { agent, outbox, givenBack } = prepare();
  outbox.send(own("Kept"));
  agent.tell({ connection: "waiting" });
  agent.giveUp(new Error("connection lost"));
  await settled();
  agent.tell({ connection: "open", error: null });
  expect([givenBack, outbox.failed]).toEqual([[], undefined]);
  const before = agent.messages;
  outbox.send(own("Not kept"));
  agent.tell({ connection: "waiting" });
  agent.giveUp(new Error("connection lost"));
  await settled();
  expect(givenBack).toEqual([]);
  // The connection is back before the hub has reported the outcome.
  agent.tell({ connection: "open", error: null });
  expect(givenBack).toEqual([]);
  agent.tell({ messages: before });
  expect([givenBack, outbox.failed]).toEqual([[[own("Not kept"), "c1"]], own("Not kept")]);
  expect(outbox.problem).toMatchObject({ code: "outcome-unknown" });
  agent.tell({ messages: [] });
  expect(givenBack).toHaveLength(1);
});

test("what the hub kept of it stays in the conversation, with the reason until there is an answer", async () => {
  const { agent, outbox, givenBack } = prepare();
  outbox.send(own("Kept"));
  agent.tell({ connection: "waiting" });
  agent.giveUp(new Error("connection lost"));
  await settled();
  expect(outbox.problem).toBeUndefined();
  agent.tell({ connection: "open", error: null });
  expect(outbox.problem).toMatchObject({ code: "outcome-unknown", message: expect.stringContaining("lost") as string });
  // A hub that went on with it.
  agent.tell({ loading: true });
  expect(outbox.problem).toBeUndefined();
  agent.tell({ loading: false });
  const answered = outbox.regenerate();
  expect(outbox.problem).toBeUndefined();
  agent.answer("At last");
  await answered;
  expect([outbox.problem, givenBack]).toEqual([undefined, []]);
});

test("a first question, which was asked before its conversation had a name, is given back there", async () => {
  const { agent, outbox, givenBack } = prepare({ agent: new FakeAgent({ conversation: null }) });
  outbox.send(own("First"));
  agent.tell({ conversation: "c1" });
  agent.tell({ connection: "waiting" });
  agent.giveUp(new Error("connection lost"));
  await settled();
  agent.tell({ connection: "open", messages: [] });
  expect(givenBack).toEqual([[own("First"), "c1"]]);
});

test("an edit that was lost with the connection is given back, and one of another conversation is not", async () => {
  const { agent, outbox, givenBack } = prepare();
  agent.tell({ messages: [{ id: "q", role: "user", content: "Old" }] });
  const before = agent.messages;
  for (const [conversation, lost] of [
    ["c2", 0],
    ["c1", 1],
  ] as const) {
    agent.tell({ conversation: "c1", messages: before });
    const edited = outbox.edit("q", own("New"));
    agent.tell({ connection: "waiting" });
    agent.giveUp(new Error("connection lost"));
    expect(await edited).toBe(true);
    agent.tell({ conversation, messages: before, connection: "open" });
    expect(givenBack).toHaveLength(lost);
  }
});

test("what another conversation took is not given back here: the hub goes on with it there", async () => {
  const { agent, outbox, givenBack } = prepare();
  outbox.send(own("For the first"));
  agent.tell({ conversation: "c2", messages: [] });
  agent.fail(null);
  await settled();
  expect([givenBack, outbox.isBusy]).toEqual([[], false]);
});

test("an edit says other words in a turn's place, in the name of whose turn it is, and says whether it was taken", async () => {
  const agent = new FakeAgent({ messages: [{ id: "q", role: "user", content: "Old", from: shop }] });
  const { outbox } = prepare({ agent });
  const edited = outbox.edit("q", theirs("New"));
  expect(agent.asked).toMatchObject([{ command: "edit", messageId: "q", prompt: "New", from: shop }]);
  agent.fail(new Error("broken"));
  expect(await edited).toBe(false);
  const again = outbox.edit("q", theirs("New"));
  agent.answer("Yes");
  expect(await again).toBe(true);
});
