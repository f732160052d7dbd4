import { expect, test } from "vitest";
import { executeSafely } from "./mirror.ts";

const { signal } = new AbortController();

function answering(answer: unknown): Promise<unknown> {
  const execute = executeSafely(async () => answer as string);
  return execute({}, { signal }) as Promise<unknown>;
}

function failed(text: string) {
  const code = "result-unsendable";
  return { content: [{ type: "text", text }], isError: true, _meta: { "pagewire/code": code } };
}

test("text is given as it is, and an object as a copy that is plain data", async () => {
  expect(await answering("done")).toBe("done");
  expect(await answering("")).toBe("");
  const given = { content: [], at: new Date(0), gone: undefined, secret: () => 1, [Symbol("s")]: 1 };
  expect(await answering(given)).toEqual({ content: [], at: "1970-01-01T00:00:00.000Z" });
  expect(await answering(new Map([[1, 2]]))).toEqual({});
});

test("anything else is an error with a reason, never a value that could crash a tab", async () => {
  const values: [unknown, string][] = [
    [Symbol("s"), "symbol"],
    [7n, "bigint"],
    [undefined, "undefined"],
    [null, "null"],
    [7, "number"],
    [true, "boolean"],
    [() => "done", "function"],
  ];
  for (const [value, kind] of values) {
    expect(await answering(value)).toEqual(failed(`The tool's answer is neither text nor an object, but ${kind}.`));
  }
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  for (const value of [circular, { big: 7n }, { toJSON: () => undefined }]) {
    expect(await answering(value)).toMatchObject({ isError: true, _meta: { "pagewire/code": "result-unsendable" } });
  }
});

test("for any thrown value, at once or later, the call rejects with an error", async () => {
  const boom = new TypeError("boom");
  for (const thrown of [boom, undefined, Symbol("s"), "a word", 7n]) {
    for (const run of [() => Promise.reject(thrown), throwing(thrown)]) {
      const call = executeSafely(run)({}, { signal });
      expect(call).toBeInstanceOf(Promise);
      await expect(call).rejects.toBeInstanceOf(Error);
    }
  }
  await expect(executeSafely(throwing(boom))({})).rejects.toBe(boom);
  await expect(executeSafely(throwing("a word"))({})).rejects.toThrow("a word");
});

test("a call that the browser cancels ends at once, with the browser's reason, and its function is aborted", async () => {
  const reason = new DOMException("No more", "AbortError");
  const cancelling = new AbortController();
  let heard: AbortSignal | undefined;
  const execute = executeSafely((_input, ending) => {
    heard = ending;
    return new Promise(() => {});
  });
  const call = execute({}, { signal: cancelling.signal });
  expect(heard?.aborted).toBe(false);
  cancelling.abort(reason);
  await expect(call).rejects.toBe(reason);
  expect(heard?.reason).toBe(reason);
});

test("a call that is cancelled before it begins does not run", async () => {
  let runs = 0;
  const execute = executeSafely(async () => `run ${++runs}`);
  await expect(execute({}, { signal: AbortSignal.abort("too late") })).rejects.toBe("too late");
  expect(runs).toBe(0);
});

test("browsers that do not report a call's end, or leave out an empty input, are supported", async () => {
  const execute = executeSafely(async (input, ending) => ({ input, aborted: ending.aborted }));
  const early = execute as (input?: object, client?: object) => Promise<unknown>;
  expect(await early()).toEqual({ input: {}, aborted: false });
  expect(await early({ days: 7 }, { requestUserInteraction: () => {} })).toEqual({
    input: { days: 7 },
    aborted: false,
  });
});

function throwing(thrown: unknown): () => never {
  return () => {
    throw thrown;
  };
}
