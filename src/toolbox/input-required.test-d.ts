import { expectTypeOf, test } from "vitest";
import type { AskMethod, JsonObject } from "../wire/index.ts";
import { makeToolbox } from "./call.test-helper.ts";
import type { CallContext, CallInput, InputRequired } from "./context.ts";
import { defineTool } from "./definitions.ts";

const outputSchema = { type: "object", properties: { total: { type: "number" } }, required: ["total"] } as const;
const sure = { method: "elicitation/create", params: { message: "Sure?" } } as const;

test("a handler is typed to ask for input, and what comes back to it is", () => {
  const toolbox = makeToolbox();
  defineTool({
    name: "a",
    outputSchema,
    async execute(_input, { asks, input }) {
      expectTypeOf(asks).toEqualTypeOf<readonly AskMethod[]>();
      expectTypeOf(input).toEqualTypeOf<CallInput | undefined>();
      if (input) return { total: 1 };
      return { resultType: "input_required", inputRequests: { sure }, requestState: "1" } satisfies InputRequired;
    },
  });
  toolbox.registerResource({
    uri: "app://a",
    name: "a",
    read: (_uri, { input }) => input?.state ?? { resultType: "input_required", requestState: "1" },
  });
  toolbox.registerPrompt({
    name: "a",
    get: (_values, { input }) => (input ? "hi" : { resultType: "input_required", inputRequests: { sure } }),
  });
  expectTypeOf<CallContext["input"]>().toEqualTypeOf<CallInput | undefined>();
  expectTypeOf<CallInput>().toEqualTypeOf<{ readonly responses: JsonObject; readonly state?: string }>();
});

test("what is no question of MCP's does not compile", () => {
  const rename = { method: "tools/call" } as const;
  expectTypeOf<{
    resultType: "input_required";
    inputRequests: { rename: typeof rename };
  }>().not.toExtend<InputRequired>();
  expectTypeOf<{ resultType: "input_required"; requestState: number }>().not.toExtend<InputRequired>();
});
