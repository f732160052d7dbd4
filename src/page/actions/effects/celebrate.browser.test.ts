import { expect, test, vi } from "vitest";
import { run } from "../actions.test-helper.ts";
import { celebrate } from "./celebrate.ts";
import { directEffects, onStage, paintedPoints, stages, wantStillness } from "./effects.test-helper.ts";

const { draw } = directEffects();
const reason = "All <b>tests</b> pass";

test("confetti flies above the page, which can be used on beneath it, and is gone when it has fallen", async () => {
  expect(await run(celebrate())).toBe("Celebration triggered!");
  draw(10);
  expect(paintedPoints()).toBeGreaterThan(1000);
  expect(document.elementFromPoint(innerWidth / 2, innerHeight / 2)).not.toBe(stages()[0]);
  draw(100);
  expect(stages()).toEqual([]);
});

test("what there is to celebrate is shown as text, and a celebration in another one's midst takes its place", async () => {
  await run(celebrate(), { reason });
  expect(onStage("[role=status]").textContent).toBe(reason);
  await run(celebrate(), { reason: 5 });
  expect(stages()).toHaveLength(1);
  expect(onStage("canvas").nextElementSibling).toBeNull();
});

test("where less motion is asked for, confetti lies still, and the answer says so", async () => {
  wantStillness();
  expect(await run(celebrate(), { reason })).toBe(
    "Celebration triggered! It stands still: this browser asks for less motion.",
  );
  draw(5);
  const picture = () => onStage<HTMLCanvasElement>("canvas").toDataURL();
  const before = picture();
  expect(paintedPoints()).toBeGreaterThan(1000);
  draw(5);
  expect(picture()).toBe(before);
  draw(100);
  expect(stages()).toEqual([]);
});

test("in a tab that nobody sees an effect waits, and the answer says so", async () => {
  vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  expect(await run(celebrate())).toBe("Celebration triggered! It shows once somebody looks at this tab.");
  expect(stages()).toHaveLength(1);
  draw(100);
  expect(stages()).toEqual([]);
});
