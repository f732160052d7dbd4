import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { Limits } from "../wire/index.ts";
import { createBoard, tool } from "./board.test-helper.ts";
import type { CallHandle, CallRequest } from "./types.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const bytes = (text: string) => new TextEncoder().encode(text);

/** A call that has ended, whose handle is still held, and what remains of its arguments and its result. */
function endedCall(request: Partial<CallRequest> = {}, limits: Partial<Limits> = {}) {
  const board = createBoard(limits);
  const page = board.page({ tools: [tool("buy"), tool("look", { annotations: { readOnlyHint: true } })] });
  const { session } = board.agent();
  const held = new Map<string, WeakRef<Uint8Array>>();
  const call = (more: Partial<CallRequest> = {}): CallHandle =>
    session.call({ method: "tools/call", name: "buy", arguments: "{}", ...request, ...more }, { ended: () => {} });
  const start = () => {
    const given = bytes("{}");
    held.set("arguments", new WeakRef(given));
    return call({ arguments: given });
  };
  const answer = () => {
    const result = bytes("{}");
    held.set("result", new WeakRef(result));
    page.say({ type: "result", id: page.calls[0]?.id ?? "" }, result);
  };
  const handle = start();
  answer();
  return {
    ...board,
    handle,
    call,
    /** A weak reference holds until the current job is over. */
    async left() {
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
      return [...held].filter(([, reference]) => reference.deref()).map(([name]) => name);
    },
  };
}

test("the arguments and result of a call are kept until its caller has received the outcome, and no longer", async () => {
  const { handle, left } = endedCall();
  expect(await left()).toEqual(["arguments", "result"]);
  handle.received();
  expect(await left()).toEqual([]);
  handle.cut();
});

test("a caller that cancels after the end does not come back for the outcome", async () => {
  const { handle, left } = endedCall();
  handle.cancel();
  expect(await left()).toEqual([]);
});

test.each([
  ["a read-only tool", { name: "look" }, {}],
  ["twinTime zero", {}, { twinTime: 0 }],
])("with %s nobody can ask again, and nothing is kept after the end", async (_, request, limits) => {
  const { handle, left } = endedCall(request, limits);
  expect(await left()).toEqual([]);
  handle.cut();
});

test("a caller that was cut off leaves the outcome to a duplicate, which drops it once received", async () => {
  const { handle, call, clock, left } = endedCall();
  handle.cut();
  handle.received();
  expect(await left()).toEqual(["arguments", "result"]);
  const twin = call();
  await clock.advance(0);
  twin.received();
  expect(await left()).toEqual([]);
});

test("only the ledger keeps the result of a call with a key, for keyTime", async () => {
  const { handle, clock, left } = endedCall({ key: "order-1" }, { keyTime: 1000 });
  expect(await left()).toEqual(["result"]);
  handle.received();
  expect(await left()).toEqual(["result"]);
  await clock.advance(1000);
  expect(await left()).toEqual([]);
});
