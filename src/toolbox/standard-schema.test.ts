import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { environment, makeToolbox, resultOf, textOf } from "./call.test-helper.ts";
import type { LoadValidator } from "./validate-json.ts";

const schemas = {
  zod: z.object({ days: z.number(), from: z.string().optional() }),
  arktype: type({ days: "number", "from?": "string" }),
  valibot: toStandardJsonSchema(v.object({ days: v.number(), from: v.optional(v.string()) })),
};

for (const [library, inputSchema] of Object.entries(schemas)) {
  test(`agents see the JSON Schema of a schema of ${library}`, () => {
    const toolbox = makeToolbox();
    toolbox.registerTool({ name: "a", inputSchema, execute: () => "" });
    expect(toolbox.offer().tools[0]?.inputSchema).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { days: { type: "number" }, from: { type: "string" } },
      required: ["days"],
    });
  });

  test(`a schema of ${library} checks the input without the validator, and names each path`, async () => {
    const loadValidator = vi.fn<LoadValidator>(() => Promise.reject(new Error("not needed")));
    const toolbox = makeToolbox({ loadValidator });
    const execute = vi.fn<() => string>(() => "ran");
    toolbox.registerTool({ name: "a", inputSchema, execute });
    expect(textOf(await toolbox.callTool("a", { days: 3 }, environment()))).toBe("ran");
    const outcome = await toolbox.callTool("a", { days: "three", from: 5 }, environment());
    expect(outcome).toMatchObject({ kind: "refused", code: "input-invalid" });
    expect(outcome).toMatchObject({
      message: expect.stringMatching(/^Tool "a" refused its input: \/days: .*; \/from: .*\.$/) as string,
    });
    expect(execute).toHaveBeenCalledOnce();
    expect(loadValidator).not.toHaveBeenCalled();
  });
}

test("the path of a problem leads into lists, and the input itself is /", async () => {
  const toolbox = makeToolbox();
  const inputSchema = z
    .object({ rows: z.array(z.object({ id: z.number() })) })
    .refine(({ rows }) => rows.length > 0, "must have rows");
  toolbox.registerTool({ name: "a", inputSchema, execute: () => "" });
  expect(await toolbox.callTool("a", { rows: [{ id: 1 }, {}] }, environment())).toMatchObject({
    message: expect.stringContaining("/rows/1/id: ") as string,
  });
  expect(await toolbox.callTool("a", { rows: [] }, environment())).toMatchObject({
    message: 'Tool "a" refused its input: /: must have rows.',
  });
});

test("the handler is given what the schema makes of the input, and a check may take time", async () => {
  const toolbox = makeToolbox();
  const inputSchema = z.object({
    name: z.string().trim().toLowerCase(),
    limit: z.number().default(5),
    code: z.string().refine((code) => Promise.resolve(code !== "bad"), "is not known"),
  });
  toolbox.registerTool({ name: "a", inputSchema, execute: (input) => input });
  expect(toolbox.offer().tools[0]?.inputSchema["required"]).toEqual(["name", "code"]);
  const outcome = await toolbox.callTool("a", { name: " ANN ", code: "x", extra: 1 }, environment());
  expect(resultOf(outcome)["structuredContent"]).toEqual({ name: "ann", limit: 5, code: "x" });
  expect(await toolbox.callTool("a", { name: "a", code: "bad" }, environment())).toMatchObject({
    kind: "refused",
    message: 'Tool "a" refused its input: /code: is not known.',
  });
});

test("a check that throws refuses the call", async () => {
  const toolbox = makeToolbox();
  const inputSchema = z.object({}).refine(() => {
    throw new Error("cannot reach the price list");
  });
  toolbox.registerTool({ name: "a", inputSchema, execute: () => "" });
  expect(await toolbox.callTool("a", {}, environment())).toEqual({
    kind: "refused",
    code: "internal-error",
    message: 'The tool "a" was not run: cannot reach the price list',
  });
});

test("a choice between objects is offered as a schema of type object", async () => {
  const toolbox = makeToolbox();
  const inputSchema = z.union([z.object({ id: z.number() }), z.object({ name: z.string() })]);
  toolbox.registerTool({ name: "a", inputSchema, execute: (input) => input });
  expect(toolbox.offer().tools[0]?.inputSchema).toMatchObject({ type: "object", anyOf: [{}, {}] });
  expect(resultOf(await toolbox.callTool("a", { name: "x" }, environment()))["structuredContent"]).toEqual({
    name: "x",
  });
});

test("a schema that cannot say its JSON Schema is refused with what to do", () => {
  const toolbox = makeToolbox();
  const plain = v.object({ days: v.number() });
  expect(() => toolbox.registerTool({ name: "a", inputSchema: plain, execute: () => "" })).toThrow(
    'The inputSchema of tool "a" has no JSON Schema: wrap it in toStandardJsonSchema() of @valibot/to-json-schema.',
  );
  const { "~standard": standard } = z.object({ days: z.number() });
  const older = { "~standard": { ...standard, jsonSchema: undefined } };
  expect(() => toolbox.registerTool({ name: "a", inputSchema: older, execute: () => "" })).toThrow(
    'The inputSchema of tool "a" has no JSON Schema: update zod.',
  );
  const dated = z.object({ at: z.date() });
  expect(() => toolbox.registerTool({ name: "a", outputSchema: dated, execute: () => ({ at: new Date() }) })).toThrow(
    /^The outputSchema of tool "a" has no JSON Schema: Date cannot be represented/,
  );
  expect(() => toolbox.registerTool({ name: "a", inputSchema: z.string(), execute: () => "" })).toThrow(
    'The inputSchema of tool "a" is not a JSON Schema of type object.',
  );
  expect(toolbox.offer().tools).toEqual([]);
});

test("an answer is what the output schema makes of it, checked as the handler gave it", async () => {
  const toolbox = makeToolbox();
  const outputSchema = z.object({ at: z.instanceof(Date).transform(String).pipe(z.string()), total: z.number() });
  expect(() =>
    toolbox.registerTool({ name: "a", outputSchema, execute: () => ({ at: new Date(0), total: 1 }) }),
  ).not.toThrow();
  const outcome = await toolbox.callTool("a", {}, environment());
  expect(resultOf(outcome)["structuredContent"]).toEqual({ at: String(new Date(0)), total: 1 });
  toolbox.registerTool({
    name: "b",
    outputSchema: z.object({ total: z.number() }),
    execute: () => ({ total: "1" }) as never,
  });
  const wrong = await toolbox.callTool("b", {}, environment());
  expect(resultOf(wrong)).toMatchObject({ isError: true, _meta: { "pagewire/code": "output-invalid" } });
  expect(textOf(wrong)).toContain("/total: ");
});
