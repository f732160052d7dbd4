import { expect, test } from "vitest";
import { makeToolbox } from "./call.test-helper.ts";

test("an entry that covers another is listed in its place until it is removed, and the other can be removed meanwhile", () => {
  const covering = { signal: undefined, covers: true };
  const toolbox = makeToolbox();
  const descriptions = () => toolbox.offer().tools.map(({ description }) => description);
  const own = toolbox.registerTool({ name: "a", description: "own", execute: () => "" });
  const cover = toolbox.registerTool({ name: "a", description: "cover", execute: () => "" }, covering);
  expect(descriptions()).toEqual(["cover"]);
  cover.remove();
  expect(descriptions()).toEqual(["own"]);
  const again = toolbox.registerTool({ name: "a", description: "again", execute: () => "" }, covering);
  own.remove();
  expect(descriptions()).toEqual(["again"]);
  again.remove();
  again.remove();
  expect(descriptions()).toEqual([]);
  const ending = new AbortController();
  toolbox.registerTool({ name: "a", description: "own", execute: () => "" }, ending);
  const last = toolbox.registerTool({ name: "a", description: "last", execute: () => "" }, covering);
  ending.abort();
  last.remove();
  expect(descriptions()).toEqual([]);
});
