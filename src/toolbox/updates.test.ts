import { expect, test } from "vitest";
import { makeToolbox, settled } from "./call.test-helper.ts";

/** A toolbox, and the notifications of its subscriber. */
function followed() {
  const toolbox = makeToolbox();
  const heard: string[] = [];
  const stop = toolbox.onResourceUpdated((uri) => heard.push(uri));
  return { toolbox, heard, stop };
}

test("who follows resources hears of each that has new contents, once however often it was said", async () => {
  const { toolbox, heard } = followed();
  for (const uri of ["app://a", "app://b", "app://a"]) toolbox.resourceUpdated(uri);
  expect(heard).toEqual([]);
  await settled();
  expect(heard).toEqual(["app://a", "app://b"]);
  toolbox.resourceUpdated("app://a");
  await settled();
  expect(heard).toEqual(["app://a", "app://b", "app://a"]);
});

test("a subscriber that throws is reported and keeps nothing from the others, and one that left hears nothing", async () => {
  const { toolbox, heard, stop } = followed();
  const error = new Error("broken");
  toolbox.onResourceUpdated(() => {
    throw error;
  });
  const late: string[] = [];
  toolbox.onResourceUpdated((uri) => late.push(uri));
  toolbox.resourceUpdated("app://a");
  stop();
  await settled();
  expect([heard, late, toolbox.errors]).toEqual([[], ["app://a"], [{ stage: "toolbox subscriber", error }]]);
});

test("what is no URI is refused by its name", () => {
  const { toolbox } = followed();
  for (const uri of ["", "report", "app://a b", `app:${"x".repeat(2045)}`, 5 as unknown as string]) {
    expect(() => toolbox.resourceUpdated(uri)).toThrow(
      expect.objectContaining({ code: "options-invalid", message: expect.stringContaining(String(uri).slice(0, 140)) }),
    );
  }
});

test("a closed toolbox tells of no resource any more", async () => {
  const { toolbox, heard } = followed();
  toolbox.resourceUpdated("app://a");
  toolbox.close();
  toolbox.resourceUpdated("app://b");
  await settled();
  expect(heard).toEqual([]);
});
