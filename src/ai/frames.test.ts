import { expect, test, vi } from "vitest";
import { createFrames } from "./core-state.ts";
import { holdTime } from "./model.test-helper.ts";

test("without frames of a screen, changes are gathered for 16 ms", () => {
  holdTime();
  const run = vi.fn<() => void>();
  const frames = createFrames(run);
  frames.ask();
  frames.ask();
  vi.advanceTimersByTime(15);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledOnce();
  frames.ask();
  vi.advanceTimersByTime(16);
  expect(run).toHaveBeenCalledTimes(2);
  frames.ask();
  frames.cancel();
  vi.advanceTimersByTime(100);
  expect(run).toHaveBeenCalledTimes(2);
});

test("with a screen, changes are reported with its next frame, or after 100 ms if there is none", () => {
  holdTime();
  const waiting = new Map<number, () => void>();
  vi.stubGlobal("requestAnimationFrame", (show: () => void) => waiting.set(waiting.size, show).size - 1);
  vi.stubGlobal("cancelAnimationFrame", (frame: number) => waiting.delete(frame));
  const run = vi.fn<() => void>();
  const frames = createFrames(run);
  frames.ask();
  vi.advanceTimersByTime(20);
  expect(run).not.toHaveBeenCalled();
  waiting.get(0)?.();
  expect(run).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(200);
  expect(run).toHaveBeenCalledOnce();
  waiting.clear();
  frames.ask();
  vi.advanceTimersByTime(100);
  expect(run).toHaveBeenCalledTimes(2);
  expect(waiting.size).toBe(0);
  vi.unstubAllGlobals();
});
