import { expect, test } from "vitest";
import { defaultLimits } from "../../../wire/index.ts";
import { isOrigin } from "../../common/is-origin.ts";
import { readOffer } from "./read-offer.ts";

const session_id = "0123456789abcdef0123456789abcdef";
const schema = { type: "object", properties: { days: { type: "number" } }, required: ["days"] };
const tool = { name: "get_sales", description: "Sales.", parameters: schema };

const read = (body: unknown, limits = {}) =>
  readOffer(typeof body === "string" ? body : JSON.stringify(body), { ...defaultLimits, ...limits });

test("tools, a session, the parent's origin and the user's word on other tabs are read", () => {
  const annotations = { readOnlyHint: true, title: "x", destructiveHint: 7, idempotentHint: false };
  const given = { tools: [{ ...tool, title: "Sales", annotations, handler: "x" }], session_id, other_tabs: true };
  expect(read({ ...given, origin: "https://shop.example" })).toEqual({
    session: session_id,
    offer: {
      origin: "https://shop.example",
      otherTabs: true,
      yields: false,
      tools: [
        {
          name: "get_sales",
          title: "Sales",
          description: "Sales.",
          inputSchema: schema,
          annotations: { readOnlyHint: true, idempotentHint: false },
        },
      ],
    },
  });
  expect(read({ tools: [], other_tabs: "tab-1" }).offer.otherTabs).toBe("tab-1");
  const none = { session: undefined, offer: { origin: undefined, otherTabs: false, yields: false, tools: [] } };
  expect(read({ tools: [] })).toEqual(none);
  expect(read({ tools: [], session_id: null, origin: null })).toEqual(none);
});

test("a tool without parameters takes none, and one that is declared once more is the later one", () => {
  const { tools } = read({ tools: [{ name: "a" }, tool, { name: "a", description: "Later", parameters: {} }] }).offer;
  const annotations = { readOnlyHint: false };
  expect(tools).toEqual([
    { name: "a", description: "Later", inputSchema: { type: "object" }, annotations },
    { name: "get_sales", description: "Sales.", inputSchema: schema, annotations },
  ]);
});

test("a tool is read-only only if its annotation is exactly true", () => {
  for (const readOnlyHint of [false, "true", 1, null, {}]) {
    const [read1] = read({ tools: [{ ...tool, annotations: { readOnlyHint } }] }).offer.tools;
    expect(read1?.annotations).toEqual({ readOnlyHint: false });
  }
});

const nested = `${'{"a":'.repeat(70)}1${"}".repeat(70)}`;

test.each<readonly [unknown, string, string]>([
  ["not JSON", "request-malformed", "JSON object"],
  ["[]", "request-malformed", "JSON object"],
  [`{"tools":[],"x":${nested}}`, "request-malformed", "too deep"],
  [{}, "request-malformed", '"tools"'],
  [{ tools: {} }, "request-malformed", '"tools"'],
  [{ tools: ["x"] }, "request-malformed", '"tools"'],
  [{ tools: [], session_id: 7 }, "request-malformed", "session_id"],
  [{ tools: [], session_id: "../../etc/passwd" }, "request-malformed", "session_id"],
  [{ tools: [], origin: "shop.example" }, "request-malformed", "origin"],
  [{ tools: [], origin: "https://shop.example/" }, "request-malformed", "origin"],
  [{ tools: [], origin: "null" }, "request-malformed", "origin"],
  [{ tools: [], other_tabs: "a b" }, "request-malformed", "other_tabs"],
  [{ tools: [], other_tabs: 7 }, "request-malformed", "other_tabs"],
  [{ tools: [{ ...tool, name: "get sales" }] }, "name-invalid", '"get sales"'],
  [{ tools: [{ ...tool, name: "" }] }, "name-invalid", '""'],
  [{ tools: [{ ...tool, name: "x".repeat(129) }] }, "name-invalid", "128"],
  [{ tools: [{ ...tool, name: 7 }] }, "name-invalid", "7"],
  [{ tools: [{ description: "x" }] }, "name-invalid", "null"],
  [{ tools: [{ ...tool, description: 7 }] }, "request-malformed", '"get_sales" has no usable description'],
  [{ tools: [{ ...tool, title: {} }] }, "request-malformed", "title"],
  [{ tools: [{ ...tool, annotations: [] }] }, "request-malformed", "annotations"],
  [{ tools: [{ ...tool, parameters: "x" }] }, "schema-invalid", "get_sales"],
  [{ tools: [{ ...tool, parameters: null }] }, "schema-invalid", "get_sales"],
  [{ tools: [{ ...tool, parameters: { type: null } }] }, "schema-invalid", "get_sales"],
  [{ tools: [{ ...tool, parameters: { type: "array" } }] }, "schema-invalid", "get_sales"],
  [
    { tools: [{ ...tool, parameters: { x: "ä".repeat(40_000) } }] },
    "schema-too-large",
    "65536 bytes (limit schemaBytes)",
  ],
  [{ tools: Array.from({ length: 257 }, () => tool) }, "offers-too-many", "offersPerPage"],
])("what is no offer is refused by name (%#)", (body, code, words) => {
  expect(() => read(body)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(words) }));
});

test("an origin is one in the form that browsers give it", () => {
  for (const origin of ["https://shop.example", "http://127.0.0.1:7337", "http://[::1]:7337"])
    expect(isOrigin(origin)).toBe(true);
  const others = ["null", "", "https://shop.example/", "https://SHOP.example", "https://a@shop.example", 7, null];
  for (const other of others) expect(isOrigin(other), String(other)).toBe(false);
  for (const other of ["data:text/html,x", "file:///etc", "https://shop.example:443", "javascript:alert(1)"])
    expect(isOrigin(other), other).toBe(false);
});
