import { act, createElement, startTransition, StrictMode, Suspense, useLayoutEffect, useState } from "react";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { below, callTool, createScreen, createTestPage, saying, toolNames, withTool } from "./react.test-helper.ts";
import { useTool } from "./use-tool.ts";

test.each([false, true])("a component that goes before there is a page leaves nothing in it", async (isStrict) => {
  const page = createTestPage();
  const screen = createScreen();
  const content = (...given: Parameters<typeof below>) =>
    isStrict ? createElement(StrictMode, null, below(...given)) : below(...given);
  await screen.show(content(undefined, saying("one"), saying("two", "other")));
  await screen.show(content(undefined, saying("one")));
  await screen.show(content(page, saying("one")));
  expect(toolNames(page)).toEqual(["work"]);
  await screen.show(content(page));
  expect(toolNames(page)).toEqual([]);
});

test("in StrictMode a tool is announced once, runs once, and goes with its component", async () => {
  const page = createTestPage();
  const screen = createScreen();
  let runs = 0;
  const content = (...tools: ReactNode[]) => createElement(StrictMode, null, below(page, ...tools));
  await screen.show(content(withTool({ name: "work", execute: () => (runs += 1) })));
  expect([await callTool(page, "work"), runs, page.changes.length]).toEqual(["1", 1, 1]);
  await screen.show(content());
  expect(toolNames(page)).toEqual([]);
});

function suspending() {
  const never = new Promise<void>(() => {});
  const rendered: string[] = [];
  function Waiting({ text, isReady }: { readonly text: string; readonly isReady: boolean }): ReactNode {
    useTool({ name: text === "one" ? "work" : "other", execute: () => text });
    rendered.push(text);
    // React 18 and React 19 both accept this.
    if (!isReady) throw never;
    return text;
  }
  const content = (text: string, isReady: boolean) =>
    createElement(Suspense, { fallback: "waiting" }, createElement(Waiting, { text, isReady }));
  return { content, rendered };
}

test("a render that never reaches the screen registers nothing and changes no handler", async () => {
  const page = createTestPage();
  const screen = createScreen();
  const { content, rendered } = suspending();
  let setContent: (content: ReactNode) => void = () => {};
  function App(): ReactNode {
    const [shown, setShown] = useState<ReactNode>(content("one", true));
    setContent = setShown;
    return shown;
  }
  await screen.show(below(page, createElement(App)));
  await act(async () => startTransition(() => setContent(content("two", false))));
  expect(rendered).toContain("two");
  expect(screen.container.textContent).toBe("one");
  expect([toolNames(page), await callTool(page, "work")]).toEqual([["work"], "one"]);
});

test("a tool stays as it was while its component waits behind a Suspense fallback", async () => {
  const page = createTestPage();
  const screen = createScreen();
  const { content } = suspending();
  await screen.show(below(page, content("one", true)));
  await screen.show(below(page, content("two", false)));
  expect(screen.container.innerText).toBe("waiting");
  expect([toolNames(page), await callTool(page, "work"), page.changes.length]).toEqual([["work"], "one", 1]);
});

test("a tool is gone as soon as its component is off the screen", async () => {
  const page = createTestPage();
  const screen = createScreen();
  const seen: (readonly string[])[] = [];
  function Probe({ content }: { readonly content: ReactNode }): ReactNode {
    useLayoutEffect(() => void seen.push(toolNames(page)));
    return content;
  }
  await screen.show(below(page, createElement(Probe, { content: saying("one") })));
  await screen.show(below(page, createElement(Probe, { content: null })));
  expect(seen).toEqual([[], []]);
  expect(page.changes.map(({ add, remove }) => [add.tools?.length, remove.tools])).toEqual([
    [1, undefined],
    [undefined, ["work"]],
  ]);
});
