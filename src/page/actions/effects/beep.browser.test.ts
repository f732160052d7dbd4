import { afterEach, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { run } from "../actions.test-helper.ts";
import { beep } from "./beep.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** The tones that began, each with its frequency and how long it is to last. */
function hearTones(): (readonly [hertz: number, seconds: number])[] {
  const tones: (readonly [number, number])[] = [];
  const { start, stop } = OscillatorNode.prototype;
  let began = 0;
  vi.spyOn(OscillatorNode.prototype, "start").mockImplementation(function (this: OscillatorNode, when = 0) {
    began = when;
    start.call(this, when);
  });
  vi.spyOn(OscillatorNode.prototype, "stop").mockImplementation(function (this: OscillatorNode, when) {
    if (when !== undefined) tones.push([this.frequency.value, Math.round((when - began) * 1000) / 1000]);
    stop.call(this, when);
  });
  return tones;
}

test("where the browser allows no sound yet, that is told with what to do, and nothing sounds later", async () => {
  vi.useFakeTimers();
  const close = vi.fn<() => Promise<void>>(async () => {});
  class Silent {
    readonly state = "suspended";
    resume = () => new Promise(() => {});
    close = close;
  }
  vi.stubGlobal("AudioContext", Silent);
  const refused = expect(run(beep())).rejects.toMatchObject({
    code: "action-unavailable",
    message: expect.stringContaining("Click in the page, and try again.") as string,
  });
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0));
  await vi.runAllTimersAsync();
  await refused;
  expect(close).toHaveBeenCalledOnce();
});

test("a tone sounds, 440 hertz for 600 milliseconds where nothing else is said", async () => {
  await userEvent.click(document.body);
  const tones = hearTones();
  expect(await run(beep(), { frequency: 1000, duration: 20 })).toBe("Beep played.");
  expect(await run(beep())).toBe("Beep played.");
  expect(tones).toEqual([
    [1000, 0.02],
    [440, 0.6],
  ]);
});

test("several tones are heard one after the other", async () => {
  await userEvent.click(document.body);
  const tones = hearTones();
  const first = run(beep(), { duration: 50 }).then(() => tones.length);
  const second = run(beep(), { duration: 20 }).then(() => tones.length);
  expect([await first, await second]).toEqual([1, 2]);
});

test("a call that ends ends its tone, and one that still waits for its turn is not heard", async () => {
  await userEvent.click(document.body);
  const tones = hearTones();
  const aborter = new AbortController();
  const { signal } = aborter;
  const all = Promise.all([run(beep(), { duration: 10_000 }, { signal }), run(beep(), {}, { signal })]);
  await vi.waitFor(() => expect(tones).toHaveLength(1));
  aborter.abort();
  await all;
  expect(tones).toEqual([[440, 10]]);
});

test("a call that ends while the browser has suspended all sound leaves the next tones alone", async () => {
  await userEvent.click(document.body);
  const { start } = OscillatorNode.prototype;
  const started = new Promise<void>((resolve) => {
    vi.spyOn(OscillatorNode.prototype, "start").mockImplementationOnce(function (this: OscillatorNode, when) {
      start.call(this, when);
      resolve((this.context as AudioContext).suspend());
    });
  });
  const aborter = new AbortController();
  const suspended = run(beep(), { duration: 50 }, { signal: aborter.signal });
  await started;
  aborter.abort();
  await suspended;
  expect(await run(beep(), { duration: 20 })).toBe("Beep played.");
});
