import { describe, expect, test } from "vitest";
import { PagewireError, resolveLimits } from "../wire/index.ts";
import type { Json } from "../wire/index.ts";
import { tool } from "./board.test-helper.ts";
import { parseOffer, parseOfferChange } from "./parse-offer.ts";

const limits = resolveLimits({ schemaBytes: 200, jsonDepth: 8 });

/** The code and message of the refusal. */
function refusalOf(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    if (PagewireError.isInstance(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "taken";
}

const offer = (value: Json) => () => parseOffer(JSON.stringify(value), limits);
const oneTool = (more: Readonly<Record<string, Json>>) => offer({ tools: [{ ...(tool("buy") as object), ...more }] });
const change = (value: Json) => () => parseOfferChange(JSON.stringify(value), limits);

describe("a page's offer", () => {
  test("an offer is parsed unchanged, with fields of later versions; missing kinds are empty", () => {
    const buy = { ...tool("buy"), title: "Buy", annotations: { readOnlyHint: true }, later: [1] };
    const none = { tools: [], resources: [], resourceTemplates: [], prompts: [] };
    expect(parseOffer(JSON.stringify({ tools: [buy] }), limits)).toEqual({ ...none, tools: [buy] });
    expect(parseOffer(new TextEncoder().encode("{}"), limits)).toEqual(none);
  });

  test.each<[string, () => unknown, RegExp]>([
    ["no JSON", () => parseOffer("{", limits), /^frame-malformed: /],
    ["an array", offer([]), /^frame-malformed: /],
    ["nesting beyond jsonDepth", oneTool({ deep: [[[[[[[[1]]]]]]]] }), /^frame-malformed: /],
    ["tools that are no list", offer({ tools: {} }), /^frame-malformed: .*tools/],
    ["a tool that is no object", offer({ tools: [1] }), /^frame-malformed: .*tools/],
    ["a tool without a name", offer({ tools: [{ inputSchema: { type: "object" } }] }), /^frame-malformed: .*name/],
    ["a title that is no string", oneTool({ title: 1 }), /^frame-malformed: .*title/],
    ["a description that is no string", oneTool({ description: {} }), /^frame-malformed: .*description/],
    ["annotations that are no object", oneTool({ annotations: [] }), /^frame-malformed: .*annotations/],
    ["_meta that is no object", oneTool({ _meta: 1 }), /^frame-malformed: .*_meta/],
    ["icons that are no list", oneTool({ icons: "x" }), /^frame-malformed: .*icons/],
    ["an icon without its source", oneTool({ icons: [{}] }), /^frame-malformed: .*icons/],
    [
      "arguments that are no list",
      offer({ prompts: [{ name: "p", arguments: "x" }] }),
      /^frame-malformed: .*arguments/,
    ],
    ["an argument without a name", offer({ prompts: [{ name: "p", arguments: [{}] }] }), /^frame-malformed: .*argum/],
    [
      "a size that is no number",
      offer({ resources: [{ uri: "a", name: "a", size: "1" }] }),
      /^frame-malformed: .*size/,
    ],
    ["a name with a space", oneTool({ name: "buy it" }), /^name-invalid: .*"buy it"/],
    ["an empty name", oneTool({ name: "" }), /^name-invalid: /],
    ["a name of 129 characters", oneTool({ name: "x".repeat(129) }), /^name-invalid: /],
    [
      "a tool named __proto__",
      () => parseOffer('{"tools":[{"name":"__proto__","inputSchema":{"type":"object"}}]}', limits),
      /^name-invalid: .*"__proto__"/,
    ],
    ["a prompt named constructor", offer({ prompts: [{ name: "constructor" }] }), /^name-invalid: The prompt/],
    ["a built-in tool's name", oneTool({ name: "call_tab_tool" }), /^name-taken: .*"call_tab_tool"/],
    ["a tool without an input schema", offer({ tools: [{ name: "buy" }] }), /^schema-invalid: .*"buy"/],
    ["an input schema of another type", oneTool({ inputSchema: { type: "string" } }), /^schema-invalid: .*"buy"/],
    ["an output schema that is no object", oneTool({ outputSchema: true }), /^schema-invalid: .*"buy"/],
    [
      "an input schema beyond schemaBytes",
      oneTool({ inputSchema: { type: "object", x: "x".repeat(200) } }),
      /^schema-too-large: .*"buy".*200/,
    ],
    ["an output schema beyond schemaBytes", oneTool({ outputSchema: { x: "x".repeat(200) } }), /^schema-too-large: /],
    ["a resource without an address", offer({ resources: [{ name: "cart" }] }), /^frame-malformed: .*uri/],
    ["a resource of no address", offer({ resources: [{ uri: "", name: "cart" }] }), /^frame-malformed: .*uri/],
    [
      "an address longer than a call can name",
      offer({ resources: [{ uri: "x".repeat(2049), name: "cart" }] }),
      /^frame-malformed: .*uri/,
    ],
    ["a resource without a name", offer({ resources: [{ uri: "shop://cart" }] }), /^frame-malformed: .*name/],
    ["a mime type that is no string", offer({ resources: [{ uri: "a", name: "a", mimeType: 1 }] }), /mimeType/],
    [
      "a template without its template",
      offer({ resourceTemplates: [{ name: "item" }] }),
      /^frame-malformed: .*uriTemp/,
    ],
    ["a prompt whose name is no name", offer({ prompts: [{ name: "a b" }] }), /^name-invalid: The prompt/],
    ["a change that is no object", change(1), /^frame-malformed: /],
    ["a change whose add is no object", change({ add: 1, remove: {} }), /^frame-malformed: .*add/],
    ["a change whose remove is no object", change({ add: {}, remove: [] }), /^frame-malformed: .*remove/],
    ["removed names that are no names", change({ remove: { tools: [1] } }), /^frame-malformed: .*removed tools/],
    ["an added tool with a bad name", change({ add: { tools: [tool("a b") as unknown as Json] } }), /^name-invalid: /],
  ])("B81: %s is refused by name", (_, parse, refusal) => {
    expect(refusalOf(parse)).toMatch(refusal);
  });

  test("B81: a name and a schema at their limits are accepted", () => {
    const filler = 200 - JSON.stringify({ type: "object", x: "" }).length;
    expect(refusalOf(oneTool({ name: "x".repeat(128) }))).toBe("taken");
    expect(refusalOf(oneTool({ inputSchema: { type: "object", x: "x".repeat(filler) } }))).toBe("taken");
    expect(refusalOf(oneTool({ inputSchema: { type: "object", x: "x".repeat(filler + 1) } }))).toMatch(
      /^schema-too-large/,
    );
  });

  test("a change may omit the lists that it does not use", () => {
    expect(parseOfferChange("{}", limits)).toEqual({
      add: { tools: [], resources: [], resourceTemplates: [], prompts: [] },
      remove: { tools: [], resources: [], resourceTemplates: [], prompts: [] },
    });
  });
});
