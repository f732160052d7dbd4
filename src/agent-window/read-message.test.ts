import { describe, expect, test } from "vitest";
import { specTable } from "../../test/support/spec-table.ts";
import type { FromAgent, FromParent } from "./messages.ts";
import { readFromAgent, readFromParent } from "./read-message.ts";

const tool = { name: "get_sales", description: "Sales", parameters: { type: "object", properties: {} } };

/** The copy that a window would receive. */
const posted = (data: unknown): unknown => structuredClone(data);

function toolsIn(tools: unknown) {
  const reading = readFromParent(posted({ type: "tools_list", payload: { tools } }));
  if (reading.kind !== "message" || reading.message.type !== "tools_list")
    throw new Error("No list of tools was read.");
  return { tools: reading.message.payload.tools, codes: reading.problems.map(({ code }) => code) };
}

test("PL4: a message is parsed with its fields in a payload or beside its type", () => {
  const call = { call_id: "call_1_0.5", tool_name: "get_sales", arguments: { days: 30 } };
  const read = { kind: "message", message: { type: "tool_call", payload: call }, problems: [] };
  expect(readFromAgent({ type: "tool_call", payload: call })).toEqual(read);
  expect(readFromAgent({ type: "tool_call", ...call })).toEqual(read);
  const answer = { call_id: "call_1", success: true, result: { totalSales: 125_000 } };
  for (const data of [
    { type: "tool_response", payload: answer },
    { type: "tool_response", ...answer },
  ])
    expect(readFromParent(data)).toMatchObject({ kind: "message", message: { payload: answer } });
  expect(readFromParent({ type: "ping" })).toMatchObject({ message: { type: "ping", payload: {} } });
});

/** Messages of each type, which together have all of its fields. */
type Samples<Messages> = { readonly [Type in keyof Messages]: readonly Messages[Type][] };

const parentSamples: Samples<FromParent> = {
  tools_list: [{ tools: [tool] }],
  inject_message: [{ message: "Hello", autoSend: true }],
  tool_response: [
    { call_id: "a", success: true, result: { days: 30 } },
    { call_id: "a", success: true, json: "{}" },
    { call_id: "a", success: false, error: "It broke.", code: "handler-failed" },
  ],
  ping: [{ timestamp: 7 }],
  parent_port: [{ nonce: "n", batches: true, title: "Shop" }],
  tool_progress: [{ call_id: "a", progress: 1, total: 2, message: "Half" }],
  parent_bye: [{}],
};

const trace = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };
const agentSamples: Samples<FromAgent> = {
  tool_call: [
    { call_id: "a", tool_name: "get_sales", arguments: { days: 30 }, until: 7, again: true, takes_json: true, trace },
    { call_id: "a", tool_name: "get_sales", json: "{}" },
  ],
  pong: [{ timestamp: 7 }],
  agent_ready: [{ nonce: "n", pagewire: 1, page: "p", batches: true }],
  tool_cancel: [{ call_id: "a" }],
  parent_replaced: [{}],
  agent_bye: [{}],
};

describe.each([
  { heading: "From the parent", samples: parentSamples, read: readFromParent, readOther: readFromAgent },
  { heading: "From the agent's window", samples: agentSamples, read: readFromAgent, readOther: readFromParent },
])("the table $heading", ({ heading, samples, read, readOther }) => {
  const rows = specTable(new URL("SPEC.md", import.meta.url), `### ${heading}`);
  const payloadsOf = (type: string) => Object.entries<readonly object[]>(samples).find(([name]) => name === type)?.[1];

  test("PL4: the contract lists every message that is read", () => {
    expect(rows.map(([type]) => type)).toEqual(Object.keys(samples));
  });

  test.each(rows)("PL4: the message %s has the fields %s", (type, cell) => {
    const fields = cell ? cell.split(", ") : [];
    const payloads = payloadsOf(type) ?? [];
    const required = fields.filter((field) => !field.endsWith("?"));
    const sent = new Set(payloads.flatMap((payload) => Object.keys(payload)));
    expect([...sent].toSorted()).toEqual(fields.map((field) => field.replace("?", "")).toSorted());
    for (const payload of payloads) {
      expect(readOther({ type, payload })).toEqual({ kind: "foreign" });
      expect(read({ type, payload: { ...payload, later: 1 } })).toEqual({
        kind: "message",
        message: { type, payload },
        problems: [],
      });
      for (const field of required) {
        const { [field]: _, ...rest } = payload as Record<string, unknown>;
        expect(read({ type, payload: rest })).toMatchObject({ kind: "refused", type });
      }
    }
    // Only the required fields.
    const [payload = {}] = payloads;
    const least = Object.fromEntries(Object.entries(payload).filter(([field]) => required.includes(field)));
    expect(read({ type, payload: least })).toMatchObject({ kind: "message", message: { type } });
  });
});

test("PL4: messages of other protocols are ignored silently", () => {
  const foreign = [undefined, null, 7, "ping", [], {}, { type: 7 }, { type: "toString" }, { type: "pong" }];
  for (const data of foreign) expect(readFromParent(data)).toEqual({ kind: "foreign" });
  expect(readFromAgent({ type: "tools_list", payload: { tools: [] } })).toEqual({ kind: "foreign" });
});

test("PL4: an invalid message is refused by name, with the id of its call", () => {
  const wrong: [unknown, string, string | undefined][] = [
    [{ type: "tools_list", payload: {} }, "frame-malformed", undefined],
    [{ type: "inject_message", payload: { message: null } }, "frame-malformed", undefined],
    [{ type: "inject_message", payload: { message: "x".repeat(16_777_217) } }, "frame-too-large", undefined],
    [{ type: "tool_response", payload: { success: true } }, "frame-malformed", undefined],
    [{ type: "tool_response", payload: { call_id: "a b", success: true } }, "frame-malformed", undefined],
    [{ type: "tool_response", payload: { call_id: "a", success: "yes" } }, "frame-malformed", "a"],
    [{ type: "tool_response", payload: { call_id: "a", success: true, result: new Map() } }, "result-unsendable", "a"],
    [{ type: "tool_response", payload: { call_id: "a", success: true, result: 1n } }, "result-unsendable", "a"],
    [{ type: "tool_response", payload: { call_id: "a", success: true, result: deep(65) } }, "result-unsendable", "a"],
    [{ type: "tool_response", payload: { call_id: "a", success: true, result: loop() } }, "result-unsendable", "a"],
    [{ type: "tool_response", payload: { call_id: "a", success: true, result: wide() } }, "result-too-large", "a"],
    [{ type: "tool_progress", payload: { call_id: "a", progress: "half" } }, "frame-malformed", "a"],
    [{ type: "parent_port", payload: {} }, "frame-malformed", undefined],
  ];
  for (const [data, code, callId] of wrong) {
    const { callId: id, ...reading } = { callId: undefined, ...readFromParent(posted(data)) };
    expect([reading, id]).toEqual([
      expect.objectContaining({ kind: "refused", error: expect.objectContaining({ code }) }),
      callId,
    ]);
  }
  const calls: [object, string][] = [
    [{ call_id: "a", tool_name: "get_sales", arguments: [] }, "arguments-malformed"],
    [{ call_id: "a", tool_name: "get_sales", arguments: { days: deep(65) } }, "arguments-malformed"],
    [{ call_id: "a", arguments: {} }, "frame-malformed"],
  ];
  for (const [payload, code] of calls)
    expect(readFromAgent({ type: "tool_call", payload })).toMatchObject({
      kind: "refused",
      callId: "a",
      error: { code },
    });
  expect(readFromAgent({ type: "agent_ready", payload: { nonce: "n", pagewire: 2 } })).toMatchObject({
    kind: "refused",
  });
});

test("PL4: values that JSON cannot express are converted as JSON does", () => {
  const at = new Date("2026-11-21T10:00:00Z");
  const result = { at, none: undefined, list: [undefined, Number.NaN], deep: deep(60) };
  const reading = readFromParent(posted({ type: "tool_response", payload: { call_id: "a", success: true, result } }));
  const read = { at: "2026-11-21T10:00:00.000Z", list: [null, null], deep: deep(60) };
  expect(reading).toMatchObject({ message: { payload: { result: read } } });
});

test("PL4: an invalid tool is dropped and reported, and the others are accepted", () => {
  expect(toolsIn([tool])).toEqual({ tools: [tool], codes: [] });
  expect(toolsIn([null, { ...tool, name: "a b" }, { ...tool, name: "x".repeat(129) }, tool]).codes).toEqual(
    Array.from({ length: 3 }, () => "name-invalid"),
  );
  const reserved = readFromParent({ type: "tools_list", tools: [{ ...tool, name: "__proto__" }] });
  expect(reserved).toMatchObject({
    problems: [{ code: "name-invalid", message: expect.stringContaining("reserved") }],
  });
  const schemas = [{ type: "string" }, { type: null }, [], "object", null].map((parameters, at) => ({
    ...tool,
    name: `tool_${at}`,
    parameters,
  }));
  expect(toolsIn([...schemas, tool])).toEqual({ tools: [tool], codes: schemas.map(() => "schema-invalid") });
  const large = { ...tool, name: "large", parameters: { type: "object", description: "€".repeat(22_000) } };
  expect(toolsIn([large, { ...tool, description: "x".repeat(70_000) }]).codes).toEqual([
    "schema-too-large",
    "schema-too-large",
  ]);
  const many = Array.from({ length: 257 }, (_, at) => ({ ...tool, name: `tool_${at}` }));
  expect([toolsIn(many).tools.length, toolsIn(many).codes]).toEqual([256, ["offers-too-many"]]);
});

test("PL4: a tool keeps its known fields, and the later of two with one name wins", () => {
  const annotations = { title: "Sales", readOnlyHint: true, destructiveHint: "no", strange: true };
  expect(toolsIn([tool, { name: "get_sales", title: 7, annotations, handler: "?" }])).toEqual({
    tools: [
      {
        name: "get_sales",
        description: "",
        parameters: { type: "object" },
        annotations: { title: "Sales", readOnlyHint: true },
      },
    ],
    codes: [],
  });
});

function deep(levels: number): unknown {
  return levels === 0 ? 0 : [deep(levels - 1)];
}

function loop(): unknown {
  const one: { self?: unknown } = {};
  one.self = one;
  return one;
}

/** Small to post, and endless to write down. */
function wide(): unknown {
  let one: unknown[] = [];
  for (let level = 0; level < 50; level++) one = [one, one];
  return one;
}
