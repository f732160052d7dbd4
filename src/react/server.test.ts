import { createRequire } from "node:module";
import * as react19 from "react";
import { renderToString } from "react-dom/server";
import { expect, test, vi } from "vitest";
import * as hooks19 from "./index.ts";

const require18 = createRequire(new URL("../../test/react-18/package.json", import.meta.url));

function renderOnServer(react: typeof react19, hooks: typeof hooks19, render: typeof renderToString) {
  const { PagewireProvider, useAgentBridge, useCalls, useConnection, usePage, usePrompt, useResource, useTool } = hooks;
  const { useModelContextTool, useWebMcp } = hooks;
  function App() {
    const { status } = useConnection();
    useTool({ name: "work", execute: () => "done" });
    useResource({ uri: "shop://basket", name: "Basket", read: () => "" });
    usePrompt({ name: "report", get: () => "" });
    const { state } = useAgentBridge({ agentOrigin: "https://hub.example", toolbox: true });
    const { isRegistered } = useModelContextTool({ name: "work", description: "Works.", execute: () => "done" });
    const servers = [useWebMcp({ url: "/mcp" }), useWebMcp(null)].map((used) => `${used.status} ${used.tools.length}`);
    return `${status}, ${servers.join(", ")}, ${isRegistered ? "in" : "not in"} the browser, ${useCalls().ended.length} calls, ${usePage() ? "a" : "no"} page, assistant ${state}`;
  }
  const renderWith = (options: { app: string } | undefined) =>
    render(react.createElement(PagewireProvider, { options }, react.createElement(App)));
  return [renderWith({ app: "shop" }), renderWith(undefined)];
}

const rendered = [
  "connecting, connecting 0, idle 0, not in the browser, 0 calls, no page, assistant disconnected",
  "closed, connecting 0, idle 0, not in the browser, 0 calls, no page, assistant disconnected",
];

test("a server imports and renders the hooks", () => {
  const complain = vi.spyOn(console, "error");
  expect("window" in globalThis).toBe(false);
  expect(renderOnServer(react19, hooks19, renderToString)).toEqual(rendered);
  expect(complain.mock.calls).toEqual([]);
});

test("a server with React 18 does so too", async () => {
  const complain = vi.spyOn(console, "error");
  const react18 = require18("react");
  vi.doMock("react", () => react18);
  vi.resetModules();
  const hooks18 = await import("./index.ts");
  expect(renderOnServer(react18, hooks18, require18("react-dom/server").renderToString)).toEqual(rendered);
  expect([react18.version.slice(0, 3), complain.mock.calls]).toEqual(["18.", []]);
});
