import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeFrame, splitFrame, textOf } from "./codec.ts";

const text = fc.string({ unit: "binary" });

test("W1: text and its payload are split as they were joined, even if they could be bytes", () => {
  fc.assert(
    fc.property(fc.object(), text, (header, payload) => {
      const parts = splitFrame(encodeFrame(header, payload));
      expect(parts).toEqual({ line: JSON.stringify(header), payload });
    }),
  );
});

test("W1: any header and any payload of bytes are split as they were joined", () => {
  fc.assert(
    fc.property(fc.object({ values: [text] }), fc.uint8Array({ minLength: 1 }), (header, payload) => {
      const parts = splitFrame(encodeFrame(header, payload));
      expect(textOf(parts.line)).toBe(JSON.stringify(header));
      expect(parts.payload).toEqual(payload);
    }),
  );
});

test("W2: the line of any header has no newline and no lone surrogates", () => {
  const anyText = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));
  fc.assert(
    fc.property(anyText, anyText, (key, value) => {
      const line = encodeFrame({ [key]: value, raw: "\n\r\ud800" }) as string;
      expect(line).not.toMatch(/[\n\r]/);
      expect(new TextDecoder().decode(new TextEncoder().encode(line))).toBe(line);
    }),
  );
});

test("a frame without a payload has an empty one, as text and as bytes", () => {
  for (const message of ["{}", "{}\n", encodeFrame({}), encodeFrame({}, ""), encodeFrame({}, new Uint8Array(0))]) {
    expect(splitFrame(message)).toEqual({ line: "{}", payload: "" });
  }
  const bytes = new TextEncoder().encode("{}");
  expect(splitFrame(bytes)).toEqual({ line: bytes, payload: "" });
});

test("bytes that are not UTF-8 are never turned into text", () => {
  expect(textOf(new TextEncoder().encode("語 👩‍👩‍👧"))).toBe("語 👩‍👩‍👧");
  expect(() => textOf(Uint8Array.of(0x22, 0xff, 0x22))).toThrow(TypeError);
  expect(() => textOf(Uint8Array.of(0xe8, 0xaa))).toThrow(TypeError);
});
