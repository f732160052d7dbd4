import { createToolbox, loadCalls, loadJsonSchemaValidator } from "pagewire/toolbox";
import type { CallEnvironment } from "pagewire/toolbox";
import type { PageCallEvent } from "pagewire/page";
import { PagewireError } from "pagewire/wire";
import { expect, test } from "vitest";
import { createPageCalls } from "./page-calls.ts";

function createWatched() {
  const toolbox = createToolbox({ loadValidator: loadJsonSchemaValidator, loadCalls, onError() {} });
  toolbox.registerTool({
    name: "work",
    description: "Works in two steps.",
    inputSchema: { type: "object", properties: { fail: { type: "boolean" } }, additionalProperties: false },
    async execute({ fail }, { progress, signal }) {
      progress(1, 2);
      if (fail) throw new Error("It broke.");
      await new Promise((resolve) => (signal.aborted ? resolve(undefined) : setTimeout(resolve)));
      return "done";
    },
  });
  toolbox.registerTool({
    name: "wonder",
    description: "Asks the user.",
    execute: async (_input, { ask }) => (await ask({ message: "What?" })).content ?? {},
  });
  let hub: (event: PageCallEvent) => void = () => {};
  let time = 0;
  const page = {
    toolbox,
    onCall(listener: typeof hub) {
      hub = listener;
      return () => {};
    },
  };
  const calls = createPageCalls({
    page,
    now: () => (time += 5),
    ask: async (method, { message = null }) => ({ action: "accept", content: { heard: [method, message] } }),
  });
  const heard: PageCallEvent[] = [];
  calls.onCall((event) => heard.push(event));
  return { toolbox: calls.toolboxFor("Assistant"), heard, tellFromHub: (event: PageCallEvent) => hub(event) };
}

function environmentOf(signal = new AbortController().signal): CallEnvironment & { readonly told: number[] } {
  const told: number[] = [];
  return {
    callId: "c1",
    agent: { name: "http://127.0.0.1:7337" },
    signal,
    deadline: Number.MAX_SAFE_INTEGER,
    asks: [],
    rounds: false,
    told,
    progress: (progress) => told.push(progress),
    log() {},
    ask: () => Promise.reject(new Error("Nobody is there.")),
  };
}

const about = { id: "c1", method: "tools/call", name: "work", agent: "Assistant" };

test("a call from another source than the hub is reported like the hub's calls, and listeners do not change its answer", async () => {
  const { toolbox, heard } = createWatched();
  const environment = environmentOf();
  const outcome = await toolbox.callTool("work", { fail: false }, environment);
  expect(outcome).toMatchObject({ kind: "result", isError: false });
  expect(environment.told).toEqual([1]);
  expect(heard).toEqual([
    { ...about, event: "started", arguments: { fail: false } },
    { ...about, event: "progress", progress: 1, total: 2 },
    { ...about, event: "ended", outcome: "ok", milliseconds: 5 },
  ]);
});

test("a call's outcome has the same names as those of the hub's calls", async () => {
  const { toolbox, heard } = createWatched();
  const ended = async (input: object, environment: CallEnvironment) => {
    await toolbox.callTool("work", input, environment);
    return heard.at(-1)?.outcome;
  };
  const late = new PagewireError("deadline-exceeded", "The time for this call is up.");
  expect(await ended({ fail: true }, environmentOf())).toBe("tool-error");
  expect(await ended({ other: 1 }, environmentOf())).toBe("rejected");
  expect(await ended({}, environmentOf(AbortSignal.abort()))).toBe("cancelled");
  expect(await ended({}, environmentOf(AbortSignal.abort(late)))).toBe("deadline-exceeded");
});

test("the hub's calls are reported too, and the offered tools are the page's", async () => {
  const { toolbox, heard, tellFromHub } = createWatched();
  const event = { ...about, id: "c2", event: "started" } as const;
  tellFromHub(event);
  expect(heard).toEqual([event]);
  expect(toolbox.offer().tools.map(({ name }) => name)).toEqual(["work", "wonder"]);
});

test("a tool that asks its caller asks in the page, where the caller cannot be asked", async () => {
  const { toolbox } = createWatched();
  const outcome = await toolbox.callTool("wonder", {}, environmentOf());
  expect(JSON.stringify(outcome)).toContain(String.raw`[\"elicitation/create\",\"What?\"]`);
});
