import { Activity, createElement } from "react";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { below, callTool, createScreen, createTestPage, toolNames } from "./react.test-helper.ts";
import { useTool } from "./use-tool.ts";

function Tool(): ReactNode {
  useTool({ name: "work", execute: () => "done" });
  return null;
}

test("a tool is not offered while its component is in a hidden Activity", async () => {
  const page = createTestPage();
  const screen = createScreen();
  const show = (mode: "visible" | "hidden") =>
    screen.show(below(page, createElement(Activity, { mode, children: createElement(Tool) })));
  await show("visible");
  await show("hidden");
  expect(toolNames(page)).toEqual([]);
  await show("visible");
  expect(await callTool(page, "work")).toBe("done");
});
