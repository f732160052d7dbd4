import { createElement, StrictMode } from "react";
import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { flushSync } from "react-dom";
import { expect, inject, onTestFinished, test } from "vitest";
import { defineCounter } from "./counter.test-helper.ts";
import type { Counter, CounterValues } from "./counter.test-helper.ts";
import { useWcBindable } from "./react.ts";
import type { WcBindableRef } from "./react.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly react: number;
  }
}

let screenRef: WcBindableRef<Counter> | undefined;

function Screen({ tag, shown = true }: { readonly tag: string; readonly shown?: boolean }): ReactNode {
  const [ref, { count }] = useWcBindable<Counter, CounterValues>({ count: -1 });
  screenRef = ref;
  return createElement("p", null, shown && createElement(tag, { ref }), String(count));
}

function show() {
  const place = document.body.appendChild(document.createElement("div"));
  const root = createRoot(place);
  onTestFinished(() => {
    root.unmount();
    place.remove();
  });
  return {
    render: (node: ReactNode) => flushSync(() => root.render(node)),
    text: () => place.textContent,
    counter: () => place.querySelector<Counter>("p > *"),
  };
}

test("a React component has an element's values from its first paint, and renders with each change", () => {
  expect(inject("react")).toBeGreaterThanOrEqual(18);
  const screen = show();
  const tag = defineCounter();
  screen.render(createElement(StrictMode, null, createElement(Screen, { tag })));
  expect(screen.text()).toBe("0");
  const counter = screen.counter();
  flushSync(() => counter?.add(2));
  expect([screen.text(), counter?.listeners]).toEqual(["2", 1]);
  screen.render(createElement(StrictMode, null, createElement(Screen, { tag, shown: false })));
  counter?.add(1);
  expect([screen.text(), counter?.listeners]).toEqual(["2", 0]);
});

test("in React ref.current is the element as long as it is there, for its methods to be called", () => {
  const screen = show();
  const tag = defineCounter();
  screen.render(createElement(Screen, { tag }));
  flushSync(() => screenRef?.current?.add(3));
  expect([screen.text(), screenRef?.current]).toEqual(["3", screen.counter()]);
  const before = screenRef;
  screen.render(createElement(Screen, { tag, shown: false }));
  expect([screenRef?.current, screenRef]).toEqual([null, before]);
});

test("an element whose class is defined later is bound then, for React too", async () => {
  const screen = show();
  const tag = defineCounter({ later: true });
  screen.render(createElement(Screen, { tag }));
  expect(screen.text()).toBe("-1");
  defineCounter({ tag });
  await expect.poll(screen.text).toBe("0");
});
