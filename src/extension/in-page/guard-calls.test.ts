import { expect, test } from "vitest";
import { PagewireError } from "../../wire/index.ts";
import type { Guard } from "../../webmcp/index.ts";
import type { PersonAnswer, PersonQuestion } from "../messages.ts";
import type { CallMode } from "../settings.ts";
import { createGuardedCalls } from "./guard-calls.ts";

type Call = Parameters<Guard>[0];

const buy = { name: "buy", title: "Buy", description: "Buys." };
const listing = (description: string) => ({ name: "buy", description, origin: "https://a" }) as Call["listed"] & object;

function createGuard(mode: CallMode, answers: (PersonAnswer | Error)[] = []) {
  const questions: PersonQuestion[] = [];
  const clock = { now: 0 };
  const person = {
    async ask(question: PersonQuestion, signal: AbortSignal) {
      questions.push(question);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      // Without an answer the person still thinks.
      return (
        answer ??
        new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)))
      );
    },
  };
  const calls = createGuardedCalls(
    () => mode,
    person,
    () => clock.now,
  );
  let runs = 0;
  const run = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      runs++;
      signal.addEventListener("abort", () => reject(signal.reason as Error));
      if (runs < 100) queueMicrotask(() => resolve("ran"));
    });
  function call(
    tool: Partial<Call> = {},
    { callId = "1", signal = new AbortController().signal, runs: runIt = run, agent = "claude" } = {},
  ) {
    const context = { callId, signal, agent: { name: agent } } as Call["context"];
    const listed = listing("Buys.");
    const own = { listed, find: () => Promise.resolve({ ...listed }) };
    return calls.guard({ ...buy, ...own, input: { item: "tea" }, ...tool, context }, runIt);
  }
  return { calls, call, questions, clock, runs: () => runs };
}

const refused = expect.objectContaining({ code: "action-refused", isUndone: true });
const readOnly = { annotations: { readOnlyHint: true } };

test("a tool that only reads runs at once, and so does every tool of a site that asks nothing", async () => {
  const asking = createGuard("ask");
  expect(await asking.call(readOnly)).toBe("ran");
  expect(await createGuard("read-only").call(readOnly)).toBe("ran");
  expect(await createGuard("all").call()).toBe("ran");
  expect(asking.questions).toEqual([]);
});

test("a tool that a read-only site does not offer any more is refused, and did nothing", async () => {
  const { call, runs } = createGuard("read-only");
  await expect(call()).rejects.toEqual(refused);
  expect(runs()).toBe(0);
});

test("the person sees the tool and its arguments, and a refusal says so to the agent", async () => {
  const { call, questions, runs } = createGuard("ask", [{ action: "refuse" }, { action: "allow", lasts: "once" }]);
  await expect(call({ annotations: { destructiveHint: true } })).rejects.toEqual(refused);
  expect(questions).toEqual([
    {
      ...{ kind: "call", tool: "buy", title: "Buy", description: "Buys." },
      ...{ destructive: true, agent: "claude", arguments: { item: "tea" } },
    },
  ]);
  expect(runs()).toBe(0);
  expect(await call()).toBe("ran");
});

test("what is allowed for the document is asked again for another agent, another definition, and once the page was left", async () => {
  const refuse = { action: "refuse" } as const;
  const { calls, call, questions } = createGuard("ask", [
    { action: "allow", lasts: "document" },
    ...[refuse, refuse, refuse],
  ]);
  await call();
  await call({ input: { item: "cake" } });
  expect(questions.length).toBe(1);
  await expect(call({ inputSchema: { type: "object" } })).rejects.toEqual(refused);
  await expect(call({}, { agent: "another" })).rejects.toEqual(refused);
  calls.leave();
  await expect(call()).rejects.toEqual(refused);
  expect(questions.length).toBe(4);
});

test("a tool that says both that it only reads and that it may destroy something is asked about", async () => {
  const both = { annotations: { readOnlyHint: true, destructiveHint: true } };
  const { call, questions } = createGuard("ask", [{ action: "refuse" }]);
  await expect(call(both)).rejects.toEqual(refused);
  expect(questions).toMatchObject([{ destructive: true }]);
  await expect(createGuard("read-only").call(both)).rejects.toEqual(refused);
});

test("a tool that the page replaced does not run: not after an answer, not by an earlier one, and not as one that only reads", async () => {
  const { call, runs } = createGuard("ask", [
    { action: "allow", lasts: "once" },
    { action: "allow", lasts: "document" },
  ]);
  const replaced = { find: () => Promise.resolve(listing("Deletes.")) };
  await expect(call(replaced)).rejects.toEqual(refused);
  await expect(call({ ...readOnly, ...replaced })).rejects.toEqual(refused);
  await expect(call({ ...readOnly, find: () => Promise.resolve(undefined) })).rejects.toEqual(refused);
  expect(await call()).toBe("ran");
  await expect(call(replaced)).rejects.toEqual(refused);
  expect(runs()).toBe(1);
});

test("a tool that the page replaced after the person allowed it for the hub's policy does not run, whatever the site's setting", async () => {
  for (const mode of ["ask", "all"] as const) {
    const { calls, call, runs } = createGuard(mode);
    calls.allowedOnce("claude", "buy", { item: "tea" });
    await expect(call({ find: () => Promise.resolve(listing("Deletes.")) })).rejects.toEqual(refused);
    expect(runs()).toBe(0);
  }
});

test("a call that is stopped while the browser is asked about its tool did not run", async () => {
  const { calls, call, runs } = createGuard("ask");
  const asked = call({ ...readOnly, find: () => new Promise(() => {}) });
  calls.stop("1");
  await expect(asked).rejects.toEqual(refused);
  expect(runs()).toBe(0);
});

test("a call that is stopped while the hub's own question is open ends it, and does not run later", async () => {
  const { calls, call, questions, runs } = createGuard("all");
  const signal = new AbortController().signal;
  const asked = calls.untilStopped(
    { callId: "1", signal },
    (either) =>
      new Promise((_, reject) => {
        either.addEventListener("abort", () => reject(new Error("over")));
      }),
  );
  calls.stop("1");
  await expect(asked).rejects.toThrow("over");
  await expect(call()).rejects.toEqual(refused);
  expect([runs(), questions]).toEqual([0, []]);
  for (let count = 0; count < 1000; count++) calls.stop(`other ${count}`);
  expect(await call()).toBe("ran");
});

test("an agent that is refused unasked reads that it was refused often", async () => {
  const { call } = createGuard("ask", [{ action: "refuse", isUnasked: true }]);
  await expect(call()).rejects.toThrow("several times in a row");
});

test("a call that the person allowed for the hub's policy is not asked about twice, and that counts once", async () => {
  const { calls, call, questions } = createGuard("ask", [{ action: "refuse" }]);
  calls.allowedOnce("claude", "buy", { item: "tea" });
  expect(await call()).toBe("ran");
  await expect(call()).rejects.toEqual(refused);
  expect(questions.length).toBe(1);
});

test("what the person allowed for the hub's policy is neither another agent's nor good for a later call", async () => {
  const refuse = { action: "refuse" } as const;
  const { calls, call, questions, clock } = createGuard("ask", [refuse, refuse, refuse]);
  calls.allowedOnce("another agent", "buy", { item: "tea" });
  await expect(call()).rejects.toEqual(refused);
  calls.allowedOnce("claude", "buy", { item: "tea" });
  clock.now += 60_000;
  await expect(call()).rejects.toEqual(refused);
  // Also a call that needs no question takes it.
  calls.allowedOnce("claude", "buy", { item: "tea" });
  expect(await call(readOnly)).toBe("ran");
  await expect(call()).rejects.toEqual(refused);
  expect(questions.length).toBe(3);
});

test("a call that is stopped before the answer did not run, and one that runs ends with the reason", async () => {
  const waiting = createGuard("ask");
  const asked = waiting.call();
  await Promise.resolve();
  waiting.calls.stop("1");
  await expect(asked).rejects.toEqual(refused);
  expect(waiting.runs()).toBe(0);
  expect(waiting.calls.tookStop("1")).toBe(true);
  const running = createGuard("all");
  const runs = (signal: AbortSignal) =>
    new Promise<string>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  const ran = running.call({}, { runs });
  await Promise.resolve();
  await Promise.resolve();
  running.calls.stop("2");
  running.calls.stop("1");
  const error: unknown = await ran.catch((thrown: unknown) => thrown);
  expect(PagewireError.isInstance(error)).toBe(false);
  expect(String(error)).toContain("stopped this call");
  expect(["1", "1"].map((call) => running.calls.tookStop(call))).toEqual([true, false]);
});

test("a caller that cancels while the person is asked gets its own reason, and a person who cannot be asked is a refusal", async () => {
  const { call } = createGuard("ask");
  const cancelling = new AbortController();
  const asked = call({}, { signal: cancelling.signal });
  await Promise.resolve();
  cancelling.abort(new Error("cancelled"));
  await expect(asked).rejects.toThrow("cancelled");
  await expect(createGuard("ask", [new Error("10 questions wait")]).call()).rejects.toEqual(refused);
});
