import { expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { PagewireError } from "../../../wire/index.ts";
import { run } from "../actions.test-helper.ts";
import { boing } from "./boing.ts";
import { directEffects, onStage, paintedPoints, stages, wantStillness } from "./effects.test-helper.ts";

const { draw } = directEffects();
const silent = () =>
  vi.stubGlobal("AudioContext", function () {
    throw new PagewireError("action-unavailable", "Click first.");
  });
const picture = () => onStage<HTMLCanvasElement>("canvas").toDataURL();

test("a ball bounces over the page, which can be used on, and is heard where it hits", async () => {
  await userEvent.click(document.body);
  const tones = vi.spyOn(OscillatorNode.prototype, "start");
  expect(await run(boing())).toBe("Boing!");
  draw(10);
  const before = picture();
  expect(paintedPoints()).toBeGreaterThan(10_000);
  expect(document.elementFromPoint(innerWidth / 2, innerHeight / 2)).not.toBe(stages()[0]);
  draw(10);
  expect(picture()).not.toBe(before);
  draw(170);
  expect(stages()).toEqual([]);
  // Six times the floor and three times a wall, in nine seconds.
  expect(tones).toHaveBeenCalledTimes(9);
});

test("where the browser allows no sound it bounces all the same, and the answer says why it is not heard", async () => {
  silent();
  expect(await run(boing())).toBe("Boing! It cannot be heard: Click first.");
  draw(10);
  expect(paintedPoints()).toBeGreaterThan(10_000);
});

test("a ball that comes while another one bounces takes its place", async () => {
  silent();
  await Promise.all([run(boing()), run(boing())]);
  await run(boing());
  expect(stages()).toHaveLength(1);
});

test("where less motion is asked for, the ball hangs still and makes no sound", async () => {
  wantStillness();
  const tones = vi.spyOn(OscillatorNode.prototype, "start");
  expect(await run(boing())).toBe("Boing! It stands still: this browser asks for less motion.");
  draw(8);
  const before = picture();
  draw(8);
  expect(picture()).toBe(before);
  draw(200);
  expect(stages()).toEqual([]);
  expect(tones).not.toHaveBeenCalled();
});
