import { expect, test } from "vitest";
import { call, makePage, resultOf } from "../actions.test-helper.ts";
import type { ActionsPage } from "../actions.test-helper.ts";
import type { Action } from "./action.ts";
import { offerActions } from "./offer-actions.ts";

const action = (name: string, answer: string, signal?: AbortSignal): Action => ({
  name,
  handler: (_input, { hub }) => `${answer} ${hub}`,
  options: signal ? { signal } : {},
});
const namesIn = ({ toolbox }: ActionsPage) => toolbox.list().map(({ name }) => name);
const answerOf = async (page: ActionsPage, name: string) => (await resultOf(call(page, name))).content;
const text = (words: string) => [{ type: "text", text: words }];
/** Waits until a toolbox has notified its subscribers. */
const told = () => new Promise<void>((resolve) => queueMicrotask(resolve));

test("actions are offered in a page, which tells them its hub, and taken away again together", async () => {
  const page = makePage();
  const offered = offerActions(page, [action("a", "A at"), action("b", "B at")]);
  expect(await answerOf(page, "a")).toEqual(text(`A at ${page.hub}`));
  expect(namesIn(page)).toEqual(["a", "b"]);
  offered.remove();
  offered.remove();
  await told();
  expect(namesIn(page)).toEqual([]);
});

test("a name that the page has is the page's own, also one that it registers later", async () => {
  const page = makePage();
  page.toolbox.registerTool({ name: "fetch", execute: () => "the page's" });
  const offered = offerActions(page, [action("fetch", "ours"), action("beep", "ours")]);
  expect(await answerOf(page, "fetch")).toEqual(text("the page's"));
  page.toolbox.registerTool({ name: "beep", execute: () => "the page's later" });
  expect(await answerOf(page, "beep")).toEqual(text("the page's later"));
  offered.remove();
  expect(namesIn(page)).toEqual(["fetch", "beep"]);
});

test("what the page takes away is offered again, and what another offer took away too", async () => {
  const page = makePage();
  const own = page.toolbox.registerTool({ name: "fetch", execute: () => "the page's" });
  const first = offerActions(page, [action("fetch", "first")]);
  const second = offerActions(page, [action("fetch", "second")]);
  await told();
  own.remove();
  await told();
  expect(await answerOf(page, "fetch")).toEqual(text(`first ${page.hub}`));
  first.remove();
  await told();
  expect(await answerOf(page, "fetch")).toEqual(text(`second ${page.hub}`));
  second.remove();
  await told();
  expect(namesIn(page)).toEqual([]);
});

test("an action whose signal aborts is taken away, and not offered again", async () => {
  const page = makePage();
  const aborter = new AbortController();
  offerActions(page, [action("a", "A", aborter.signal), action("b", "B")]);
  aborter.abort();
  await told();
  expect(namesIn(page)).toEqual(["b"]);
});
