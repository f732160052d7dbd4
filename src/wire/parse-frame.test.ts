import type { Message } from "./json.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { specTable } from "../../test/support/spec-table.ts";
import type { FrameTable } from "./codec.ts";
import { anything } from "./fields.ts";
import { encodeFrame, parseFrame } from "./codec.ts";
import { fromAgent, fromExtension, fromPage, fromView, toAgent, toExtension, toPage, toView } from "./index.ts";
import { defaultLimits } from "./limits.ts";
import {
  samplesFromAgent,
  samplesFromExtension,
  samplesFromPage,
  samplesFromView,
  samplesToAgent,
  samplesToExtension,
  samplesToPage,
  samplesToView,
} from "./samples.test-helper.ts";

const tables = [
  { name: "from a page", table: fromPage, samples: samplesFromPage },
  { name: "to a page", table: toPage, samples: samplesToPage },
  { name: "from an extension", table: fromExtension, samples: samplesFromExtension },
  { name: "to an extension", table: toExtension, samples: samplesToExtension },
  { name: "from an agent", table: fromAgent, samples: samplesFromAgent },
  { name: "to an agent", table: toAgent, samples: samplesToAgent },
  { name: "from a view", table: fromView, samples: samplesFromView },
  { name: "to a view", table: toView, samples: samplesToView },
];
const every = tables.flatMap(({ name, table, samples }) =>
  Object.values(samples).map((header: Record<string, unknown> & { type: string }) => ({ name, table, header })),
);
const refused = ({ type }: { readonly type: string }, field: string) => ({
  kind: "refused",
  close: "frame-malformed",
  message: `The field "${field}" of a ${type} frame is wrong.`,
});
const bytesOf = (text: string) => new TextEncoder().encode(text);
const parse = (message: Message, limits = defaultLimits) => parseFrame(fromPage, message, limits);

test.each([
  ["### From a page to a hub", fromPage],
  ["### From a hub to a page", toPage],
  ["### From an extension to a hub", fromExtension],
  ["### From a hub to an extension", toExtension],
  ["### From an agent to a hub", fromAgent],
  ["### From a hub to an agent", toAgent],
] as readonly (readonly [string, FrameTable])[])("the contract has every frame and field: %s", (heading, table) => {
  const rows = specTable(new URL("SPEC.md", import.meta.url), heading);
  const frames = Object.entries(table).map(([type, fields]) => {
    const names = Object.entries(fields).map(([name, accepts]) => (accepts(undefined) ? `${name}?` : name));
    return [type, names.join(", ")];
  });
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(frames));
});

describe("valid frames", () => {
  test("every frame is parsed with every field, as text and as bytes", () => {
    for (const { table, header } of every) {
      const payload = '{"any": "payload"}\n';
      const message = encodeFrame(header, payload);
      expect(parseFrame(table, message, defaultLimits)).toEqual({ kind: "frame", frame: header, payload });
      const inBytes = parseFrame(table, bytesOf(message as string), defaultLimits);
      expect(inBytes).toEqual({ kind: "frame", frame: header, payload: bytesOf(payload) });
    }
  });

  test("W7: a frame may leave out its optional fields, and no other", () => {
    for (const { name, table, header } of every) {
      const fields = (table as FrameTable)[header.type] ?? {};
      const sampled = Object.keys(header).filter((field) => field !== "type");
      expect(sampled, `the sample of ${header.type} ${name}`).toEqual(Object.keys(fields));
      for (const [field, accepts] of Object.entries(fields)) {
        const { [field]: _, ...rest } = header;
        const expected = accepts(undefined) ? { kind: "frame", frame: rest, payload: "" } : refused(header, field);
        expect(parseFrame(table, encodeFrame(rest), defaultLimits)).toEqual(expected);
      }
    }
  });

  test("W8: an invalid field is refused by its name", () => {
    for (const { table, header } of every) {
      for (const [field, accepts] of Object.entries((table as FrameTable)[header.type] ?? {})) {
        if (accepts === anything) continue;
        for (const wrong of [{}, null]) {
          const parsed = parseFrame(table, encodeFrame({ ...header, [field]: wrong }), defaultLimits);
          expect(parsed).toEqual(refused(header, field));
        }
      }
    }
  });

  test("W9: unknown fields are ignored", () => {
    const header = { type: "bye", later: { version: 2 } };
    expect(parse(encodeFrame(header))).toEqual({ kind: "frame", frame: header, payload: "" });
  });

  test("W10: a type of a newer version is unknown, not malformed", () => {
    expect(parse('{"type":"teleport","id":5}\npayload')).toEqual({ kind: "unknown", type: "teleport" });
    expect(parse('{"type":""}')).toEqual({ kind: "unknown", type: "" });
    expect(parse('{"type":"call"}')).toEqual({ kind: "unknown", type: "call" });
  });

  test("W10: a type with the name of something that every object has is unknown", () => {
    for (const type of ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"]) {
      expect(parse(JSON.stringify({ type }))).toEqual({ kind: "unknown", type });
    }
  });
});

describe("refused frames", () => {
  test("W11: a header that is not a JSON object is malformed", () => {
    for (const line of ["", "null", "7", '"text"', "[]", "{", "{}}", "{'type':'bye'}", "\ufeff{}", "\n{}"]) {
      expect(parse(line)).toMatchObject({ kind: "refused", close: "frame-malformed" });
      expect(parse(`${line}\n{"type":"bye"}`)).toMatchObject({ kind: "refused", close: "frame-malformed" });
    }
  });

  test("W11: a header that is not UTF-8 is malformed; a payload that is not is left to its reader", () => {
    expect(parse(Uint8Array.of(0x7b, 0xff, 0x7d))).toMatchObject({ kind: "refused", close: "frame-malformed" });
    const payload = Uint8Array.of(0xff, 0xfe);
    const message = encodeFrame({ type: "offer" }, payload);
    expect(parse(message)).toEqual({ kind: "frame", frame: { type: "offer" }, payload });
  });

  test("W11: a header without a type that is text is malformed", () => {
    for (const header of [{}, { type: 5 }, { type: null }, { type: ["bye"] }, { Type: "bye" }]) {
      expect(parse(JSON.stringify(header))).toMatchObject({ kind: "refused", close: "frame-malformed" });
    }
  });

  test("W12: a frame at the limit frameBytes is parsed, one byte more is too large, as text and as bytes", () => {
    const message = '{"type":"offer"}\n{}';
    for (const given of [message, bytesOf(message)]) {
      const atLimit = parse(given, { ...defaultLimits, frameBytes: message.length });
      const beyond = parse(given, { ...defaultLimits, frameBytes: message.length - 1 });
      expect([atLimit.kind, beyond]).toMatchObject(["frame", { kind: "refused", close: "frame-too-large" }]);
      expect(beyond).toMatchObject({ message: "The limit frameBytes of 18 bytes is exceeded." });
    }
  });

  test("W12: a header at the limit headerBytes is parsed, one byte more is too large, whatever the payload", () => {
    const line = '{"type":"offer"}';
    for (const given of [line, `${line}\n${"x".repeat(1000)}`, bytesOf(`${line}\n{}`)]) {
      const atLimit = parse(given, { ...defaultLimits, headerBytes: line.length });
      const beyond = parse(given, { ...defaultLimits, headerBytes: line.length - 1 });
      expect([atLimit.kind, beyond]).toMatchObject(["frame", { kind: "refused", close: "frame-too-large" }]);
      expect(beyond).toMatchObject({ message: "The limit headerBytes of 15 bytes is exceeded." });
    }
  });
});

describe("arbitrary input", () => {
  const kinds = ["frame", "unknown", "refused"];
  const isRead = (message: Message) =>
    tables.every(({ table }) => kinds.includes(parseFrame(table, message, defaultLimits).kind));

  test("any bytes and any text are a frame, unknown or refused, and nothing is thrown", () => {
    const message = fc.oneof(fc.uint8Array({ maxLength: 80 }), fc.string({ unit: "binary", maxLength: 80 }), fc.json());
    fc.assert(
      fc.property(message, (given) => {
        expect(isRead(given)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  test("any change of a valid frame gives a frame, unknown or refused, and nothing is thrown", () => {
    const change = fc.record({
      at: fc.nat(),
      cut: fc.nat(12),
      put: fc.oneof(fc.string({ unit: "binary", maxLength: 6 }), fc.json()),
    });
    const sample = fc.constantFrom(...every.map(({ header }) => encodeFrame(header, '{"a":[1]}') as string));
    fc.assert(
      fc.property(
        sample,
        fc.array(change, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        (message, changes, inBytes) => {
          let given = message;
          for (const { at, cut, put } of changes) {
            const start = at % (given.length + 1);
            given = given.slice(0, start) + put + given.slice(start + cut);
          }
          expect(isRead(inBytes ? bytesOf(given) : given)).toBe(true);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test("any bit of a valid frame may flip, and nothing is thrown", () => {
    const sample = fc.constantFrom(...every.map(({ header }) => bytesOf(encodeFrame(header, "{}") as string)));
    fc.assert(
      fc.property(sample, fc.nat(), fc.nat(7), (message, at, bit) => {
        const given = message.slice();
        given[at % given.length] = (given[at % given.length] ?? 0) ^ (1 << bit);
        expect(isRead(given)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});
