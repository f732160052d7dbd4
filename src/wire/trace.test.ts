import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTrace } from "./index.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${spanId}-01`;
const stateOf = (tracestate: unknown) => parseTrace({ traceparent, tracestate })?.tracestate;

test("a caller's trace is parsed in W3C's form, whatever its flags", () => {
  expect(parseTrace({ traceparent })).toStrictEqual({ traceparent });
  for (const flags of ["00", "01", "02", "ff"]) {
    const said = `00-${traceId}-${spanId}-${flags}`;
    expect(parseTrace({ traceparent: said })).toEqual({ traceparent: said });
  }
});

test("a later version is parsed as far as the first one knows, and written as the first one", () => {
  const later = `cc-${traceId}-${spanId}-0`;
  expect(parseTrace({ traceparent: `${later}3` })).toEqual({ traceparent });
  expect(parseTrace({ traceparent: `${later}3-what-the-future-will-be-like` })).toEqual({ traceparent });
  expect(parseTrace({ traceparent: `${later}2` })).toEqual({ traceparent: `00-${traceId}-${spanId}-00` });
  expect(parseTrace({ traceparent: `${later}3.what` })).toBeUndefined();
});

test("an invalid traceparent is ignored, without an error", () => {
  const malformed = [
    "",
    "00",
    `ff-${traceId}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    traceparent.toUpperCase(),
    `00-${traceId.slice(1)}-${spanId}-01`,
    `00-${traceId}-${spanId}-1`,
    `00-${traceId}-${spanId}-0g`,
    `0g-${traceId}-${spanId}-01`,
    `${traceparent}-`,
    `${traceparent}-more`,
    `${traceparent}\n`,
    ` ${traceparent}`,
    // Two headers of this name.
    `${traceparent}, ${traceparent}`,
    traceparent.replaceAll("-", "_"),
    traceparent.repeat(1000),
  ];
  for (const said of [...malformed, undefined, null, 7, {}, [traceparent]]) {
    expect(parseTrace({ traceparent: said, tracestate: "a=b" }), JSON.stringify(said)).toBeUndefined();
  }
  for (const carrier of [undefined, null, "traceparent", 7, [], true]) expect(parseTrace(carrier)).toBeUndefined();
});

test("a tracestate keeps its members in their order, without the empty ones", () => {
  expect(stateOf("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE")).toBe("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE");
  expect(stateOf("a=1 ,\t b=2,,")).toBe("a=1,b=2");
  expect(stateOf("fw529a3039@dt=FfF/7w*_-x, 0vendor@x=!~ (;)")).toBe("fw529a3039@dt=FfF/7w*_-x,0vendor@x=!~ (;)");
});

test("a tracestate that is malformed, longer than 512 characters or of more than 32 members is dropped, but not the trace", () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `k${index}=v`).join(",");
  expect(stateOf(many(32))).toBe(many(32));
  expect(stateOf(`k=${"v".repeat(510)}`)).toHaveLength(512);
  const wrong = [
    many(33),
    `k=${"v".repeat(511)}`,
    "",
    ",",
    "a",
    "a=",
    "=b",
    "A=b",
    "a=b=c",
    "a=ü",
    "a=\u0007",
    "a=b\nc=d",
  ];
  for (const tracestate of [...wrong, undefined, null, 7, ["a=b"]]) {
    expect(parseTrace({ traceparent, tracestate }), String(tracestate)).toStrictEqual({ traceparent });
  }
});

test("any input gives nothing, or a trace in the form of the first version", () => {
  const texts = fc.oneof(
    fc.string(),
    fc.stringMatching(/^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}.{0,3}$/),
    fc.stringMatching(/^[a-z]{1,3}=[!-~]{1,9}(,[a-z]{1,3}=[!-~]{1,9}){0,40}$/),
  );
  fc.assert(
    fc.property(
      fc.record({ traceparent: fc.oneof(texts, fc.anything()), tracestate: fc.oneof(texts, fc.anything()) }),
      (carrier) => {
        const trace = parseTrace(carrier);
        if (trace === undefined) return;
        expect(trace.traceparent).toMatch(/^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/);
        // The parsed value parses to itself.
        expect(parseTrace(trace)).toEqual(trace);
      },
    ),
  );
});

test("parsing takes no longer for texts that are made to take long", () => {
  const long = "0".repeat(1_000_000);
  expect(parseTrace({ traceparent: `00-${long}` })).toBeUndefined();
  expect(stateOf(`a=${" ".repeat(500)}b`)).toHaveLength(503);
  expect(stateOf(`a=${" ".repeat(510)}`)).toBeUndefined();
});
