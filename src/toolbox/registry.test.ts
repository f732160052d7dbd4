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

test("of entries that cover each other any can be removed in any order, and none comes back", () => {
  const covering = { signal: undefined, covers: true };
  const orders = [0, 1, 2].flatMap((first) =>
    [1, 2].map((step) => [first, (first + step) % 3, (first + 2 * step) % 3]),
  );
  for (const order of orders) {
    const toolbox = makeToolbox();
    const added = ["lowest", "middle", "top"].map((description) => ({
      description,
      ...toolbox.registerTool({ name: "a", description, execute: () => "" }, covering),
    }));
    for (const [index, at] of order.entries()) {
      added[at]?.remove();
      const left = added.filter((_, other) => !order.slice(0, index + 1).includes(other));
      const listed = toolbox.offer().tools.map(({ description }) => description);
      expect(listed).toEqual(left.slice(-1).map(({ description }) => description));
    }
  }
});

test("an entry listens to its signal until it is removed, replaced, or the toolbox is closed, also while another covers it", () => {
  const listening = countListeners();
  const covering = { signal: listening.signal, covers: true };
  const tool = { name: "a", execute: () => "" };
  const toolbox = makeToolbox();
  const [lowest] = [0, 1, 2].map(() => toolbox.registerTool(tool, covering));
  expect(listening.count()).toBe(3);
  lowest?.remove();
  expect(listening.count()).toBe(2);
  toolbox.registerTool(tool, { signal: listening.signal });
  expect(listening.count()).toBe(1);
  toolbox.registerTool(tool, covering);
  toolbox.close();
  expect(listening.count()).toBe(0);
});

/** A signal, and how many listeners it has. */
function countListeners(): { readonly signal: AbortSignal; count(): number } {
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  const { addEventListener: add, removeEventListener: remove } = signal;
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners.add(given[1]);
    add.apply(signal, given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners.delete(given[1]);
    remove.apply(signal, given);
  };
  return { signal, count: () => listeners.size };
}
