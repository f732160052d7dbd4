import { expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { createInputWriter } from "./input-writer.ts";

/** A program that accepts the given number of bytes each time, then none until it is polled again. */
function play(takes: (number | string)[]) {
  const clock = createFakeClock();
  const taken: number[] = [];
  let isOpen = true;
  let tries = 0;
  const writeTo = (_fd: number, bytes: Uint8Array) => {
    tries++;
    const next = takes.shift() ?? bytes.length;
    if (typeof next === "string") throw Object.assign(new Error(next), { code: next });
    taken.push(...bytes.subarray(0, next));
    return Math.min(next, bytes.length);
  };
  const writer = createInputWriter({ fd: 0, clock, isOpen: () => isOpen, writeTo });
  const text = () => new TextDecoder().decode(Uint8Array.from(taken));
  const shut = () => {
    isOpen = false;
  };
  return { clock, writer, text, shut, tries: () => tries };
}

test("input that a program reads in parts arrives whole and in order", async () => {
  const { clock, writer, text } = play([3, "EAGAIN", 1, 2, "EAGAIN", "EINTR"]);
  writer.write("héllo wörld ");
  writer.write("twice");
  expect(writer.waitingBytes).toBe(16);
  await clock.advance(100);
  expect(text()).toBe("héllo wörld twice");
  expect(writer.waitingBytes).toBe(0);
  writer.write("");
  expect(clock.pending).toBe(0);
});

test("retries become less frequent while a program does not read", async () => {
  const { clock, writer, tries } = play(Array.from({ length: 1000 }, () => "EAGAIN"));
  writer.write("x");
  await clock.advance(10_000);
  expect(tries()).toBeLessThan(220);
  expect(writer.waitingBytes).toBe(1);
});

test("after a program has exited, nothing is written, and the queue is empty", async () => {
  for (const how of ["gone", "EIO"] as const) {
    const { clock, writer, text, shut } = play(how === "gone" ? [2, "EAGAIN"] : [2, "EIO"]);
    writer.write("input");
    if (how === "gone") shut();
    await clock.advance(100);
    expect([text(), writer.waitingBytes, clock.pending]).toEqual(["in", 0, 0]);
  }
});
