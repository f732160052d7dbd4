import { createElement } from "react";
import type { ReactNode } from "react";
import { expect, test, vi } from "vitest";
import { PagewireError, messageOf } from "../wire/index.ts";
import type { OnError } from "../wire/index.ts";
import { PagewireProvider } from "./pagewire-provider.ts";
import { usePage } from "./place.ts";
import {
  below,
  callTool,
  createScreen,
  createTestPage,
  saying,
  Tool,
  toolNames,
  withTool,
} from "./react.test-helper.ts";

test("of two components with one name agents see what was rendered last, and the other again when it goes", async () => {
  const page = createTestPage();
  const screen = createScreen();
  const list = (isOpen: boolean, description: string) =>
    below(
      page,
      createElement(
        Tool,
        { tool: { name: "search", description, execute: () => "page" } },
        isOpen && withTool({ name: "search", description: "In the dialog.", execute: () => "dialog" }),
      ),
    );
  const seen = async () => [page.toolbox.offer().tools.map((tool) => tool.description), await callTool(page, "search")];
  await screen.show(list(true, "In the page."));
  expect(await seen()).toEqual([["In the dialog."], "dialog"]);
  await screen.show(list(true, "In the whole page."));
  expect(await seen()).toEqual([["In the dialog."], "dialog"]);
  await screen.show(list(false, "In the whole page."));
  expect(await seen()).toEqual([["In the whole page."], "page"]);
  await screen.show(list(true, "In the whole page."));
  expect(await seen()).toEqual([["In the dialog."], "dialog"]);
  await screen.show(below(page));
  expect(toolNames(page)).toEqual([]);
});

test("the component that stays is offered when the one before it goes", async () => {
  const page = createTestPage();
  const screen = createScreen();
  const one = createElement(Tool, { key: "one", tool: { name: "work", execute: () => "one" } });
  const two = createElement(Tool, { key: "two", tool: { name: "work", execute: () => "two" } });
  await screen.show(below(page, one, two));
  await screen.show(below(page, two));
  expect([toolNames(page), await callTool(page, "work")]).toEqual([["work"], "two"]);
});

test("a definition that is wrong is reported with its name; the app and the other tools stay", async () => {
  const screen = createScreen();
  const onError = vi.fn<OnError>();
  const pages = new Set<ReturnType<typeof usePage>>();
  function Probe(): ReactNode {
    pages.add(usePage());
    return "app";
  }
  const options = { app: "shop", token: null, onError };
  const content = [
    saying("one", "not a name"),
    saying("two", "list_browser_tabs"),
    saying("three"),
    createElement(Probe),
  ];
  await screen.show(createElement(PagewireProvider, { options }, ...content));
  expect(screen.container.textContent).toBe("app");
  const [page] = [...pages].flatMap((known) => known ?? []);
  expect(page && toolNames(page)).toEqual(["work"]);
  expect(
    onError.mock.calls.map(([error, { stage }]) => [PagewireError.isInstance(error) && error.code, stage]),
  ).toEqual([
    ["name-invalid", "useTool not a name"],
    ["name-taken", "useTool list_browser_tabs"],
  ]);
});

test("an onError that throws leaves the app on the screen; the console has both errors", async () => {
  const complain = vi.spyOn(console, "error").mockImplementation(() => {});
  const screen = createScreen();
  const onError = () => {
    throw new Error("The reporter is broken.");
  };
  const options = { app: "shop", token: null, onError };
  await screen.show(createElement(PagewireProvider, { options }, saying("one", "not a name"), "app"));
  const said = complain.mock.calls.map(([stage, error]: unknown[]) => `${String(stage)} ${messageOf(error)}`);
  complain.mockRestore();
  expect(screen.container.textContent).toBe("app");
  expect(said).toEqual([
    expect.stringMatching(/^Pagewire \(useTool not a name\): The name "not a name" is reserved or not/),
    "Pagewire (onError): The reporter is broken.",
  ]);
});

test("a definition that contains itself is wrong however often it is written anew, and the app stays", async () => {
  const complain = vi.spyOn(console, "error").mockImplementation(() => {});
  const page = createTestPage();
  const screen = createScreen();
  for (const text of ["one", "two", "three"]) {
    const inputSchema: Record<string, unknown> = { type: "object" };
    inputSchema["properties"] = { inner: inputSchema };
    await screen.show(below(page, withTool({ name: "knot", inputSchema, execute: () => text }), saying(text), text));
    expect([screen.container.textContent, await callTool(page, "work")]).toEqual([text, text]);
  }
  const said = complain.mock.calls.map(([stage]: unknown[]) => stage);
  complain.mockRestore();
  expect([toolNames(page), said]).toEqual([["work"], ["Pagewire (useTool knot):"]]);
});

test("what there was no room for is reported once, and offered when there is", async () => {
  const complain = vi.spyOn(console, "error").mockImplementation(() => {});
  const page = createTestPage({ offersPerPage: 2 });
  const screen = createScreen();
  const named = (key: string, name = key) => createElement(Tool, { key, tool: { name, execute: () => name } });
  await screen.show(below(page, named("one"), named("two"), named("three")));
  expect(toolNames(page)).toEqual(["one", "two"]);
  await screen.show(below(page, named("one"), named("two", "four"), named("three")));
  expect(toolNames(page)).toEqual(["one", "four"]);
  await screen.show(below(page, named("two", "four"), named("three")));
  expect(toolNames(page)).toEqual(["four", "three"]);
  const said = complain.mock.calls.map(([stage]: unknown[]) => stage);
  complain.mockRestore();
  expect(said).toEqual(["Pagewire (useTool three):"]);
});
