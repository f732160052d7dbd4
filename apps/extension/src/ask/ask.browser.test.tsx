import { shownAsk } from "pagewire/extension";
import type { PersonQuestion, ShownAsk } from "pagewire/extension";
import { expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { shop, showPage } from "../common/extension-under-test.test-helper.tsx";
import type { Start } from "../common/extension-under-test.test-helper.tsx";
import { AskWindow } from "./ask-window.tsx";

const pay: PersonQuestion = {
  ...{ kind: "call", tool: "pay", title: "Pay the basket", description: "Pays.\nReally.", destructive: true },
  ...{ agent: "claude-code 2.1", arguments: { amount: 12, to: "shop\u202epohs" } },
};

const trip: PersonQuestion = {
  kind: "fields",
  parameters: {
    message: "Which day?",
    requestedSchema: {
      type: "object",
      properties: { day: { type: "string", title: "Day", minLength: 2 }, seats: { type: "integer" } },
      required: ["day"],
    },
  },
};

const ask = (question: PersonQuestion, askedAt = 1): ShownAsk => ({
  ...{ tab: 7, origin: shop, title: "Basket", askedAt, question: JSON.stringify(question) },
});

/** Answered questions go, as the worker has them go. */
async function showAsks(asks: Readonly<Record<string, ShownAsk>>, start: Start = {}) {
  const close = vi.fn<() => void>();
  const session = Object.fromEntries(Object.entries(asks).map(([id, each]) => [shownAsk(id), each]));
  const page = await showPage((store) => <AskWindow store={store} close={close} />, { ...start, session });
  const over = (id: string) => page.fake.api.storage.session.remove(shownAsk(id));
  await expect.poll(() => page.all("h1").length).toBe(1);
  return { ...page, close, over };
}

test("a call is shown with its site, its agent, its exact arguments and what cannot be seen", async () => {
  const { text, all, close } = await showAsks({ a: ask(pay) });
  expect(all(".origin")[0]?.textContent).toBe("shop.example");
  for (const part of ["Allow “Pay the basket”?", "claude-code 2.1", "pay", "Destructive", "In the page's own words"])
    expect(text()).toContain(part);
  expect(text()).toContain('"to": "shop⟨U+202E⟩pohs"');
  expect(all("blockquote")[0]?.textContent).toBe("Pays.\nReally.");
  expect(close).not.toHaveBeenCalled();
});

test.each([
  ["Allow once", { action: "allow", lasts: "once" }],
  ["Allow until you leave this page", { action: "allow", lasts: "document" }],
  ["Refuse", { action: "refuse" }],
])("%s is one answer by two fast clicks, and the window closes when nothing waits", async (name, answer) => {
  const { button, sent, over, close } = await showAsks({ a: ask(pay) });
  await expect.poll(() => (button(name) as HTMLButtonElement).disabled).toBe(false);
  await userEvent.dblClick(button(name));
  await expect.poll(() => sent).toEqual([{ type: "answer", ask: "a", answer }]);
  expect(close).not.toHaveBeenCalled();
  await over("a");
  await expect.poll(() => close.mock.calls.length).toBe(1);
});

test("a site that is not encrypted says so, and what it writes cannot order the words around it", async () => {
  const foreign = { ...pay, title: "\u05d0\u05d1 (12", agent: "\u05d2\u05d3" };
  const { all } = await showAsks({ a: { ...ask(foreign), origin: "http://shop.example" } });
  expect(all(".origin")[0]?.textContent).toBe("http://shop.example Not secure");
  const texts = [...all("h1 bdi"), ...all("strong bdi"), ...all("blockquote"), ...all("pre")];
  expect(texts.length).toBe(4);
  for (const text of texts) expect(getComputedStyle(text).unicodeBidi).toContain("isolate");
});

test("clicks and keys do not count before the question could be read, nor those of a script", async () => {
  const { button, sent } = await showAsks({ a: ask(pay) });
  const allow = button("Allow once") as HTMLButtonElement;
  expect(allow.disabled).toBe(true);
  await userEvent.keyboard("{Escape}{Enter}");
  expect(sent).toEqual([]);
  await expect.poll(() => allow.disabled).toBe(false);
  allow.click();
  expect(sent).toEqual([]);
  // The window comes to the front by a click: it does not count either.
  dispatchEvent(new Event("focus"));
  await expect.poll(() => allow.disabled).toBe(true);
  await expect.poll(() => allow.disabled).toBe(false);
  await userEvent.click(allow);
  expect(sent.length).toBe(1);
});

test("Refuse has the focus, and Escape refuses", async () => {
  const { button, sent } = await showAsks({ a: ask(pay) });
  await expect.poll(() => document.activeElement).toBe(button("Refuse"));
  await userEvent.keyboard("{Escape}");
  await expect.poll(() => sent).toEqual([{ type: "answer", ask: "a", answer: { action: "refuse" } }]);
});

test("questions are asked one after another, the oldest first, and a withdrawn one goes", async () => {
  const { text, over, button, close } = await showAsks({
    a: ask({ ...pay, title: "Third" }, 3),
    b: ask({ ...pay, title: "First" }, 1),
    c: ask({ ...pay, title: "Second" }, 2),
  });
  await expect.poll(text).toContain("“First”");
  expect(text()).toContain("2 more wait");
  await expect.poll(() => (button("Refuse") as HTMLButtonElement).disabled).toBe(false);
  await over("b");
  await expect.poll(text).toContain("“Second”");
  // The next one appears under the pointer.
  expect((button("Refuse") as HTMLButtonElement).disabled).toBe(true);
  expect(text()).toContain("1 more waits");
  await over("c");
  await over("a");
  await expect.poll(() => close.mock.calls.length).toBe(1);
});

test("arguments that are too long to show at once cannot be allowed before all of them were shown", async () => {
  const notes = [...Array(5000).keys()].map((index) => `note number ${index}`);
  const { button, text } = await showAsks({ a: ask({ ...pay, arguments: { notes } }) });
  await expect.poll(() => (button("Refuse") as HTMLButtonElement).disabled).toBe(false);
  expect((button("Allow once") as HTMLButtonElement).disabled).toBe(true);
  expect(text()).not.toContain("note number 4999");
  await userEvent.click(button("Show all"));
  await expect.poll(text).toContain("note number 4999");
  expect((button("Allow once") as HTMLButtonElement).disabled).toBe(false);
});

test("an answer that did not arrive says why, and can be given again", async () => {
  const { button, text, sent } = await showAsks({ a: ask(pay) }, { reply: () => undefined });
  await expect.poll(() => (button("Refuse") as HTMLButtonElement).disabled).toBe(false);
  await userEvent.click(button("Refuse"));
  await expect.poll(text).toContain("The extension did not answer.");
  await userEvent.click(button("Refuse"));
  await expect.poll(() => sent.length).toBe(2);
});

test("a tool's question is a form that is sent once it is valid", async () => {
  const { all, button, sent, text } = await showAsks({ a: ask(trip) });
  expect(text()).toContain("Which day?");
  const [day, seats] = all("fieldset input") as HTMLInputElement[];
  await expect.poll(() => document.activeElement).toBe(day);
  await userEvent.click(button("Send"));
  expect(sent).toEqual([]);
  await userEvent.fill(day as HTMLElement, "Monday");
  await userEvent.fill(seats as HTMLElement, "2");
  await userEvent.click(button("Send"));
  const content = { day: "Monday", seats: 2 };
  await expect
    .poll(() => sent)
    .toEqual([{ type: "answer", ask: "a", answer: { action: "fields", result: { action: "accept", content } } }]);
});

test.each([
  ["declined", "Decline", "decline"],
  ["cancelled by Escape", "{Escape}", "cancel"],
])("a tool's question is %s", async (_name, how, action) => {
  const { button, sent } = await showAsks({ a: ask(trip) });
  await expect.poll(() => (button("Decline") as HTMLButtonElement).disabled).toBe(false);
  if (how.startsWith("{")) await userEvent.keyboard(how);
  else await userEvent.click(button(how));
  await expect
    .poll(() => sent)
    .toEqual([{ type: "answer", ask: "a", answer: { action: "fields", result: { action } } }]);
});

test("a window without a question says that nothing waits", async () => {
  const { text } = await showPage((store) => <AskWindow store={store} close={() => {}} />, { session: {} });
  await expect.poll(text).toContain("Nothing waits for you");
});
