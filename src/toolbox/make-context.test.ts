import { expect, test, vi } from "vitest";
import type { Json, JsonObject } from "../wire/index.ts";
import { environment, makeToolbox, resultOf, settled, textOf } from "./call.test-helper.ts";
import type { CallContext } from "./context.ts";

/** Runs a handler in an environment and returns the outcome of the call. */
async function run(execute: (context: CallContext) => unknown, caller = environment()) {
  const toolbox = makeToolbox();
  toolbox.registerTool({ name: "x", execute: (_input, context) => execute(context) });
  return { outcome: await toolbox.callTool("x", {}, caller), heard: caller.heard };
}

test("progress reaches the caller when it grows; what does not grow or is no number is dropped", async () => {
  const { heard } = await run(({ progress }) => {
    for (const value of [0, 1, 1, 0.5, NaN, 2, Infinity, -1]) progress(value, 10, `at ${value}`);
    progress(3);
  });
  expect(heard).toEqual([
    ["progress", 0, 10, "at 0"],
    ["progress", 1, 10, "at 1"],
    ["progress", 2, 10, "at 2"],
    ["progress", 3, undefined, undefined],
  ]);
});

test("a message of progress is cut to what a frame's header holds", async () => {
  const { heard } = await run(({ progress }) => progress(1, 2, "x".repeat(5000)));
  expect(heard[0]?.[3]).toHaveLength(4096);
});

test("what is logged reaches the caller as JSON; where JSON cannot hold it, the reason does", async () => {
  const { heard, outcome } = await run(({ log }) => {
    log("info", { at: new Date(0) } as unknown as Json, "sales");
    log("warning", { map: new Map() } as unknown as Json);
    return "went on";
  });
  expect(heard).toEqual([
    ["log", "info", { at: "1970-01-01T00:00:00.000Z" }, "sales"],
    ["log", "warning", "The log cannot be sent: $.map is a Map.", undefined],
  ]);
  expect(textOf(outcome)).toBe("went on");
});

test("a question reaches the user, and the answer the handler", async () => {
  const caller = environment({ answer: async () => ({ action: "accept", content: { sure: true }, more: 1 }) });
  const requestedSchema = { type: "object", properties: { sure: { type: "boolean" } } };
  const { outcome, heard } = await run(({ ask }) => ask({ message: "Sure?", requestedSchema }), caller);
  expect(heard).toEqual([["elicitation/create", { message: "Sure?", requestedSchema }]]);
  expect(resultOf(outcome)["structuredContent"]).toEqual({ action: "accept", content: { sure: true } });
});

test("a question without fields asks for none, and an answer may have no content", async () => {
  const caller = environment({ answer: async () => ({ action: "decline" }) });
  const { outcome, heard } = await run(({ ask }) => ask({ message: "Go on?" }), caller);
  expect(heard[0]?.[1]).toEqual({ message: "Go on?", requestedSchema: { type: "object", properties: {} } });
  expect(resultOf(outcome)["structuredContent"]).toEqual({ action: "decline" });
});

test("an answer of the wrong form, and one that fails, is the handler's error", async () => {
  const answers = [{ action: "maybe" }, {}, null, "accept", []];
  for (const answer of answers) {
    const caller = environment({ answer: async () => answer as JsonObject });
    const { outcome } = await run(({ ask }) => ask({ message: "Sure?" }), caller);
    expect(resultOf(outcome)).toMatchObject({ isError: true, _meta: { "pagewire/code": "ask-failed" } });
  }
  const { outcome } = await run(({ ask }) => ask({ message: "Sure?" }));
  expect(textOf(outcome)).toBe("nobody is there");
});

test("the agent's model is asked with MCP's own parameters, and its answer is given as it is", async () => {
  const answer = { role: "assistant", model: "m", content: { type: "text", text: "hi" } };
  const parameters = { messages: [], maxTokens: 5 };
  const { outcome, heard } = await run(({ sample }) => sample(parameters), environment({ answer: async () => answer }));
  expect(heard).toEqual([["sampling/createMessage", parameters]]);
  expect(resultOf(outcome)["structuredContent"]).toEqual(answer);
});

test("a question that JSON cannot hold is refused to the handler and not asked", async () => {
  const { outcome, heard } = await run(({ sample }) => sample({ when: 1n } as unknown as JsonObject));
  expect(textOf(outcome)).toBe("The question cannot be sent: $.when is a BigInt.");
  expect(heard).toEqual([]);
});

test("when the call is over its context says nothing more and asks nobody", async () => {
  let kept: CallContext | undefined;
  const { heard } = await run(
    (context) => {
      kept = context;
      return "done";
    },
    environment({ answer: async () => ({ action: "accept" }) }),
  );
  kept?.progress(1);
  kept?.log("info", "late");
  await expect(kept?.ask({ message: "Sure?" })).rejects.toMatchObject({ code: "ask-failed" });
  expect(heard).toEqual([]);
});

test("once the call is aborted its context says nothing more, and a question that waits is refused", async () => {
  const controller = new AbortController();
  const caller = environment({ signal: controller.signal, answer: () => new Promise(() => {}) });
  let waiting: Promise<unknown> = Promise.resolve();
  const { outcome } = await run(({ ask, progress, log, signal }) => {
    progress(1);
    signal.addEventListener("abort", () => {
      progress(2);
      log("info", "stopping");
    });
    waiting = ask({ message: "Sure?" });
    waiting.catch(() => {});
    void settled().then(() => controller.abort());
    return waiting;
  }, caller);
  expect(outcome).toEqual({ kind: "aborted" });
  await expect(waiting).rejects.toMatchObject({ code: "ask-failed" });
  expect(caller.heard.map(([what]) => what)).toEqual(["progress", "elicitation/create"]);
});

test("a message of progress fits a frame's header, whatever its characters", async () => {
  const { heard } = await run(({ progress }) => progress(1, 2, "\u0001".repeat(4096)));
  expect(JSON.stringify(heard).length).toBeLessThan(8300);
});

test("what a handler says in the wrong form goes out in the right one, or not at all", async () => {
  const wrong = (value: unknown) => value as never;
  const { heard } = await run(({ progress, log }) => {
    progress(wrong("50"));
    progress(wrong(1n));
    progress(1, wrong("10"), wrong(5));
    progress(2, NaN);
    log(wrong("shout"), "a", wrong(5));
    log("error", "b", "x".repeat(200));
  });
  expect(heard).toEqual([
    ["progress", 1, undefined, undefined],
    ["progress", 2, undefined, undefined],
    ["log", "info", "a", undefined],
    ["log", "error", "b", "x".repeat(128)],
  ]);
});

test("a log or question that does not fit a frame is not sent", async () => {
  const toolbox = makeToolbox({ limits: { frameBytes: 1000, headerBytes: 100 } });
  toolbox.registerTool({
    name: "x",
    execute: (_input, { log, sample }) => {
      log("info", "x".repeat(1000));
      return sample({ text: "x".repeat(1000) });
    },
  });
  const caller = environment();
  const outcome = await toolbox.callTool("x", {}, caller);
  expect(caller.heard).toEqual([["log", "info", expect.stringContaining("(limit frameBytes)"), undefined]]);
  expect(textOf(outcome)).toContain("The question takes");
});

test("a caller that ends a call by itself is listened to no longer than that, and its signal is left alone", async () => {
  const { heard, ...caller } = environment();
  const call = {
    ...caller,
    isOver: false,
    get signal(): AbortSignal {
      throw new Error("Nobody asked for the signal.");
    },
  };
  const { outcome } = await run(
    async ({ progress, log, ask }) => {
      progress(1);
      call.isOver = true;
      progress(2);
      log("info", "too late");
      await ask({ message: "Go on?" });
    },
    Object.assign(call, { heard }),
  );
  expect(outcome).toMatchObject({ isError: true, payload: expect.stringContaining("The call is over") as string });
  expect(heard).toEqual([["progress", 1, undefined, undefined]]);
});

test("a call that is over before its handler begins ends as aborted, and nothing runs", async () => {
  const handler = vi.fn<() => void>();
  const { outcome } = await run(handler, { ...environment(), isOver: true });
  expect([outcome, handler.mock.calls]).toEqual([{ kind: "aborted" }, []]);
});
