import { act, createElement } from "react";
import type { ReactNode } from "react";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server.browser";
import { expect, test, vi } from "vitest";
import { PagewireProvider } from "./pagewire-provider.ts";
import { below, connected, createScreen, createTestPage } from "./react.test-helper.ts";
import { useCalls } from "./use-calls.ts";
import { useConnection } from "./use-connection.ts";

let renders = 0;

function Status(): ReactNode {
  const { status } = useConnection();
  renders += 1;
  return status;
}

test("useConnection says how the page stands, and renders once for each change", async () => {
  const page = createTestPage();
  const screen = createScreen();
  renders = 0;
  await screen.show(below(page, createElement(Status)));
  expect(screen.container.textContent).toBe("connected");
  await act(async () => page.become({ status: "reconnecting", message: "Soon.", retryAt: 1 }));
  expect([screen.container.textContent, renders]).toEqual(["reconnecting", 2]);
  await act(async () => page.become(connected));
  expect([screen.container.textContent, renders]).toEqual(["connected", 3]);
});

test("the browser takes over what a server rendered, without a complaint", async () => {
  const complain = vi.spyOn(console, "error");
  function Calls(): ReactNode {
    return useCalls().running.length;
  }
  const content = [createElement(Status, { key: "status" }), " ", createElement(Calls, { key: "calls" })];
  const container = document.createElement("div");
  container.innerHTML = renderToString(createElement(PagewireProvider, { page: undefined }, content));
  expect(container.textContent).toBe("closed 0");
  const page = createTestPage();
  const root = await act(async () => hydrateRoot(container, createElement(PagewireProvider, { page }, content)));
  expect([container.textContent, complain.mock.calls]).toEqual(["connected 0", []]);
  await act(async () => root.unmount());
  complain.mockRestore();
});
