import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { Stream } from "./stream.ts";
import type { Reader } from "./stream.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

function play() {
  const clock = createFakeClock();
  const pressure: boolean[] = [];
  const limits = { terminalBytes: 1_000_000, terminalUnseenBytes: 500_000, terminalPatience: 1000 };
  const stream = new Stream({ limits, clock, onPressure: (isHigh) => void pressure.push(isHigh) });
  /** Each part arrives in its own turn of the event loop. */
  async function print(...parts: string[]): Promise<void> {
    for (const part of parts) {
      stream.add(part);
      await turn();
    }
  }
  return { clock, stream, pressure, print };
}

function createReader(answers: boolean) {
  const parts: string[] = [];
  const reader: Reader = { begin() {}, output: (_at, text) => void parts.push(text), answers };
  return { reader, text: () => parts.join("") };
}

/** Without the characters that a terminal does not show. */
const shown = (text: string) => text.replaceAll("\0", "");

describe("a request that arrives in several parts", () => {
  const long = `\u001b]52;c;${"a".repeat(200_000)}`;
  for (const [what, parts] of [
    ["a short request", ["before\u001b[", "6", "nafter"]],
    ["a clipboard", ["before\u001b]52;c;aG", "k=", "\u0007after"]],
    ["a clipboard with a long end", ["before\u001b]52;c;aGk=\u001b", "\\after"]],
    ["a clipboard that is larger than a frame", ["before", long, long.slice(-9000), "\u0007after"]],
    ["its end alone", [`before${long}`, "\u001b", "\\after"]],
  ] as const) {
    test(`${what} reaches only the active view, once`, async () => {
      const { stream, print } = play();
      const [active, other] = [createReader(true), createReader(false)];
      for (const { reader } of [active, other]) stream.join(reader, undefined);
      await print(...parts);
      expect(active.text() === parts.join("")).toBe(true);
      expect(other.text().length).toBe(parts.join("").length);
      // The end of a command that was not begun has no effect.
      expect(shown(other.text()).replace("\u001b\\", "")).toBe("beforeafter");
    });
  }

  test("a reader that got the first half of a request gets the second, even after another became active", async () => {
    const { stream, print } = play();
    const [first, second] = [createReader(true), createReader(false)];
    for (const { reader } of [first, second]) stream.join(reader, undefined);
    await print("before\u001b[6");
    Object.assign(first.reader, { answers: false });
    Object.assign(second.reader, { answers: true });
    await print("nafter");
    expect(shown(first.text())).toBe("beforeafter");
    expect(second.text()).toBe("before\u001b[6nafter");
  });

  test("an incomplete sequence at the end of the stream is delivered", async () => {
    const { stream, print } = play();
    const reader = createReader(true);
    stream.join(reader.reader, undefined);
    await print("last\u001b[3");
    stream.finish();
    expect(reader.text()).toBe("last\u001b[3");
  });
});

test("after the end, a new reader gets all kept output, without backpressure", async () => {
  const { clock, stream, pressure, print } = play();
  await print("x".repeat(900_000));
  stream.finish();
  const late = createReader(true);
  stream.join(late.reader, undefined);
  await turn();
  expect(late.text().length).toBe(900_000);
  expect([clock.pending, pressure]).toEqual([0, []]);
});
