import { defineHot, performReactRefresh } from "./hot-reload.test-helper.ts";
import { act, createElement, useState } from "react";
import { expect, test } from "vitest";
import { below, callTool, createScreen, createTestPage, toolNames } from "./react.test-helper.ts";
import { useTool } from "./use-tool.ts";

test("a hot reload brings the new handler and description; the component keeps its state, the tool its place", async () => {
  const page = createTestPage();
  const screen = createScreen();
  const edit = (description: string) =>
    defineHot("counter.tsx Counter", () => {
      const [count, setCount] = useState(0);
      useTool({ name: "count", description, execute: () => (setCount(count + 1), `${description} ${count}`) }, []);
      return count;
    });
  const Counter = edit("First.");
  await screen.show(below(page, createElement(Counter)));
  const call = () => act(async () => void said.push(await callTool(page, "count")));
  const said: string[] = [];
  await call();
  edit("Second.");
  await act(async () => void performReactRefresh());
  await call();
  expect(said).toEqual(["First. 0", "Second. 1"]);
  expect(page.toolbox.offer().tools).toMatchObject([{ name: "count", description: "Second." }]);
  expect(page.changes.map(({ remove }) => remove)).toEqual([{}, {}]);
  await screen.clear();
  expect(toolNames(page)).toEqual([]);
});
