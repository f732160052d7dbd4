import { expect, test } from "vitest";
import { PagewireError } from "../../wire/index.ts";
import type { Guard } from "../../webmcp/index.ts";
import type { PersonAnswer, PersonQuestion } from "../messages.ts";
import type { CallMode } from "../settings.ts";
import { createGuardedCalls } from "./guard-calls.ts";

type Call = Parameters<Guard>[0];

const buy = { name: "buy", title: "Buy", description: "Buys.", annotations: undefined };

function createGuard(mode: CallMode, answers: (PersonAnswer | Error)[] = []) {
  const questions: PersonQuestion[] = [];
  const calls = createGuardedCalls(() => mode, {
    async ask(question, signal) {
      questions.push(question);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      // Without an answer the person still thinks.
      return (
        answer ?? new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)))
      );
    },
  });
  let runs = 0;
  const run = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      runs++;
      signal.addEventListener("abort", () => reject(signal.reason as Error));
      if (runs < 100) queueMicrotask(() => resolve("ran"));
    });
  function call(
    tool: Partial<Call> = {},
    { callId = "1", signal = new AbortController().signal, runs: runIt = run } = {},
  ) {
    const context = { callId, signal, agent: { name: "claude" } } as Call["context"];
    return calls.guard({ ...buy, input: { item: "tea" }, ...tool, context }, runIt);
  }
  return { calls, call, questions, runs: () => runs };
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

test("what is allowed for the document is not asked again, unless the tool describes itself anew", async () => {
  const { call, questions } = createGuard("ask", [{ action: "allow", lasts: "document" }, { action: "refuse" }]);
  await call();
  await call({ input: { item: "cake" } });
  expect(questions.length).toBe(1);
  await expect(call({ description: "Buys, and sells your data." })).rejects.toEqual(refused);
});

test("a call that the person allowed for the hub's policy is not asked about twice, and that counts once", async () => {
  const { calls, call, questions } = createGuard("ask", [{ action: "refuse" }]);
  calls.allowedOnce("buy", { item: "tea" });
  expect(await call()).toBe("ran");
  await expect(call()).rejects.toEqual(refused);
  expect(questions.length).toBe(1);
});

test("a call that is stopped before the answer did not run, and one that runs ends with the reason", async () => {
  const waiting = createGuard("ask");
  const asked = waiting.call();
  await Promise.resolve();
  waiting.calls.stop("1");
  await expect(asked).rejects.toEqual(refused);
  expect(waiting.runs()).toBe(0);
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
