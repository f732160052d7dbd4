import { expect } from "vitest";
import type { JsonObject } from "../../../src/wire/index.ts";
import { complaintsOf } from "../../../src/ai/schemas/vendor-checks.test-helper.ts";
import type { Vendor } from "../../../src/ai/schemas/vendor-checks.test-helper.ts";
import type { ModelRequest } from "../model/model-format.ts";
import { call, lastResult, quoted, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

const text = { type: "string" };
const deep = (level: number): object => (level === 0 ? text : { type: "object", properties: { in: deep(level - 1) } });
const branch = {
  type: "object",
  properties: { name: text, children: { type: "array", items: { $ref: "#/$defs/branch" } } },
};

/** Each is valid, and a vendor refuses or ignores something in it. */
const schemas = {
  odd_reference: {
    type: "object",
    properties: { tree: { $ref: "#/$defs/branch", description: "From its root." }, deep: deep(12) },
    $defs: { branch },
  },
  odd_union: {
    type: "object",
    oneOf: [
      { properties: { kind: { const: "piece" }, sku: text }, required: ["kind", "sku"] },
      { properties: { kind: { const: "shelf" }, shelf: text }, required: ["kind", "shelf"] },
    ],
  },
  odd_words: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      kind: { const: "box" },
      link: { type: "string", format: "uri" },
      code: { type: "string", pattern: "^(?!x)\\p{L}+$" },
      size: { type: "integer", enum: [1, 2, 3] },
      note: { type: ["string", "null"] },
      weight: { type: "number", exclusiveMinimum: 0 },
      tags: { type: "array" },
      more: { type: "object", patternProperties: { "^x-": text }, additionalProperties: { type: "number" } },
      either: { oneOf: [text, { type: "number" }] },
      größe: { type: "number" },
    },
    required: ["kind"],
    if: { required: ["size"] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { required: ["note"] },
  },
  odd_draft: {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: { pair: { type: "array", items: [text, { type: "number" }] } },
  },
};
const names = Object.keys(schemas);

/** Whose models get the tools. The others let their user choose. */
const vendors: Readonly<Record<string, Vendor>> = {
  "claude-code": "anthropic",
  codex: "openai",
  "gemini-cli": "google-json",
  opencode: "any",
};

export const oddSchemas: Journey = {
  title: "tools whose schemas a vendor refuses",
  async run({ machine, agent: { program, talk }, tab }) {
    for (const [name, schema] of Object.entries(schemas)) {
      const [given, run] = [JSON.stringify(schema), '(input) => "got " + JSON.stringify(input)'];
      await tab.evaluate(`void tool(${JSON.stringify(name)}, "Odd.", ${given}, ${run})`);
    }
    await machine.hasTools(names);
    const called = (name: string) => program.toolName(name).name;
    const { requests, ms } = await talk(
      // The first request of a program may still have the list of its last conversation.
      call(program, "list_browser_tabs"),
      // Programs that name their tools only load schemas for a search.
      (request) => {
        const tool = request.tools.find(({ name }) => /tool_?search/i.test(name));
        if (tool) return { call: { tool, input: { query: `select:${names.map(called).join()}` } } };
        return call(program, "list_browser_tabs")(request);
      },
      call(program, "odd_union", { kind: "shelf", shelf: "A" }),
      call(program, "odd_words", { kind: "box", size: 2, note: null, größe: 4 }),
      say("Done."),
    );
    const seen = names.map((name) => ({ name, schema: schemaIn(requests, called(name)) }));
    const missing = seen.filter(({ schema }) => !schema).map(({ name }) => name);
    const vendor = vendors[program.id];
    const complaints = seen.flatMap(({ schema }) => (schema ? complaintsOf(schema, vendor ?? "any") : []));
    const told = [...new Set(complaints)].filter((complaint) => !isItsOwn(complaint));
    const ran = [requests[3], requests[4]].map(lastResult).filter((result) => result.includes("got {")).length;
    if (vendor) expect([missing, told]).toEqual([[], []]);
    const known = missing.length === 0 ? "all reach the model" : `not for the model: ${missing.join()}`;
    const taken = told.length === 0 ? "as its vendor takes them" : `with what some vendors refuse: ${told.join(", ")}`;
    const runs = ran === 2 ? "both calls run" : `${ran} of 2 calls run: ${quoted(lastResult(requests.at(-1)))}`;
    return { result: `${known}, ${taken}; ${runs}`, ms };
  },
};

/** Gemini CLI writes "or null" as a word of its own. */
function isItsOwn(complaint: string): boolean {
  return complaint === "nullable";
}

/** The schema as the model got it last: among its tools, or in the text of a search for them. */
function schemaIn(requests: readonly ModelRequest[], name: string): JsonObject | undefined {
  const offered = requests.flatMap(({ tools }) => tools).findLast((tool) => tool.name === name);
  if (offered) return offered.schema as JsonObject;
  const texts = requests.flatMap(({ results }) => results).flatMap((result) => result.text.split("\n"));
  const line = texts.findLast((each) => each.startsWith("<function>") && each.includes(`"${name}"`));
  return line && JSON.parse(line.replaceAll(/<\/?function>/g, "")).parametersJsonSchema;
}
