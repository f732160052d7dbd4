import { expect, test } from "vitest";
import { environment, makeToolbox } from "./call.test-helper.ts";
import type { CallContext } from "./index.ts";

const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=b" };

test("a handler of a tool, a resource, a template, a prompt and a completion has the trace of its call", async () => {
  const seen: unknown[] = [];
  const note = (context: CallContext) => {
    seen.push(context.trace);
    return "";
  };
  const toolbox = makeToolbox();
  toolbox.registerTool({ name: "tool", execute: (_, context) => note(context) });
  toolbox.registerResource({ uri: "app://one", name: "one", read: (_, context) => note(context) });
  toolbox.registerResourceTemplate({
    uriTemplate: "app://all/{id}",
    name: "all",
    read: (_, __, context) => note(context),
  });
  toolbox.registerPrompt({
    name: "prompt",
    arguments: [{ name: "for" }],
    get: (_, context) => note(context),
    complete: { for: (_, __, context) => [note(context)] },
  });
  const argument = { name: "for", value: "" };
  const callAll = async (inside = environment()) => {
    await toolbox.callTool("tool", {}, inside);
    await toolbox.readResource("app://one", inside);
    await toolbox.readResource("app://all/7", inside);
    await toolbox.getPrompt("prompt", {}, inside);
    await toolbox.complete({ ref: { type: "ref/prompt", name: "prompt" }, argument }, inside);
  };
  await callAll(environment({ trace }));
  expect(seen.splice(0)).toEqual(Array.from({ length: 5 }, () => trace));
  await callAll();
  expect(seen).toEqual(Array.from({ length: 5 }, () => undefined));
});

test("a handler that runs again with the answers to its questions has the trace still", async () => {
  const seen: unknown[] = [];
  const toolbox = makeToolbox();
  const inputRequests = { sure: { method: "elicitation/create", params: { message: "Sure?" } } } as const;
  toolbox.registerTool({
    name: "tool",
    execute(_, { trace: said, input }) {
      seen.push(said);
      return input ? "done" : { resultType: "input_required", inputRequests };
    },
  });
  await toolbox.callTool("tool", {}, environment({ trace, answer: async () => ({ action: "accept" }) }));
  expect(seen).toEqual([trace, trace]);
});
