import axe from "axe-core";
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import type { AiMessage, AiModel } from "../element/index.ts";
import { exchange } from "./fake-agent.test-helper.ts";
import { find, shown, start } from "./talk.test-helper.ts";

const listed: AiModel[] = [
  { id: "small", name: "small" },
  { id: "large-1", name: "Large\u202E One", context: 200_000 },
  { id: "huge", name: "Huge" },
];

async function startWith(list: () => Promise<readonly AiModel[]> = async () => listed, messages: AiMessage[] = []) {
  const models = { isOn: true, byDefault: "small", list };
  const talk = await start({ models, messages });
  const { element } = talk;
  await expect.poll(() => element.querySelector(".model-button")).not.toBeNull();
  const button = find(element, ".model-button", HTMLButtonElement);
  const panel = find(element, ".model-panel", HTMLElement);
  return {
    ...talk,
    models,
    button,
    panel,
    search: find(element, "[role=combobox]", HTMLInputElement),
    texts: () => [...element.querySelectorAll("[role=option]")].map(({ textContent }) => textContent),
    active: () => element.querySelector(".active")?.textContent,
    note: () => panel.querySelector("[role=status]")?.textContent,
    problems: async () => (await axe.run(element)).violations.map(({ id }) => id),
  };
}

test("the model of the next question is at the composer, and its list by keyboard alone", async () => {
  const { agent, button, panel, search, texts, active, announced, problems } = await startWith();
  expect([button.textContent, button.ariaExpanded, panel.hidden]).toEqual(["Model: small", "false", true]);
  button.focus();
  await userEvent.keyboard("{Enter}");
  await expect.poll(texts).toEqual(["small", "Large⟨U+202E⟩ Onelarge-1 · reads 200,000 tokens", "Hugehuge"]);
  expect([button.ariaExpanded, document.activeElement, active()]).toEqual(["true", search, "small"]);
  expect(await problems()).toEqual([]);
  await userEvent.keyboard("{ArrowDown}");
  expect(document.getElementById(search.getAttribute("aria-activedescendant") ?? "")?.textContent).toContain("Large");
  await userEvent.keyboard("{ArrowUp}{ArrowUp}");
  expect(active()).toBe("Hugehuge");
  await userEvent.keyboard("lar one{Enter}");
  expect([agent.model, button.textContent, panel.hidden]).toEqual(["large-1", "Model: large-1", true]);
  expect(document.activeElement).toBe(button);
  expect([agent.asked, announced]).toEqual([[], ["The next question goes to Large\u202E One."]]);
});

test("Escape and leaving close the list, and change nothing", async () => {
  const { agent, button, panel, field, texts } = await startWith();
  await userEvent.click(button);
  await expect.poll(() => texts().length).toBe(3);
  await userEvent.keyboard("{ArrowDown}{Escape}");
  expect([panel.hidden, document.activeElement, agent.model]).toEqual([true, button, ""]);
  await userEvent.click(button);
  await userEvent.click(field);
  expect([panel.hidden, agent.model, button.ariaExpanded]).toEqual([true, "", "false"]);
});

test("a press chooses, at 320 px too, where nothing is wider than it", async () => {
  const { element, agent, button, panel, texts, problems } = await startWith(async () => [
    ...listed,
    { id: "x".repeat(200), name: "A name ".repeat(30) },
  ]);
  element.parentElement?.style.setProperty("width", "320px");
  await userEvent.click(button);
  await expect.poll(() => texts().length).toBe(4);
  expect(panel.getBoundingClientRect().width).toBeLessThanOrEqual(320);
  expect(panel.scrollWidth).toBeLessThanOrEqual(panel.clientWidth);
  expect(await problems()).toEqual([]);
  await userEvent.click(find(element, "[role=option]:last-child", HTMLElement));
  expect([agent.model, panel.hidden]).toEqual(["x".repeat(200), true]);
  expect(element.scrollWidth).toBeLessThanOrEqual(320);
});

test("what is typed finds models, many are shown in part, and none is said", async () => {
  const many = Array.from({ length: 150 }, (_, at) => ({ id: `m-${at}`, name: `m-${at}` }));
  const { button, texts, note, problems } = await startWith(async () => many);
  await userEvent.click(button);
  await expect.poll(() => texts().length).toBe(100);
  expect(note()).toBe("And 50 more: type to find them.");
  await userEvent.keyboard("149");
  expect([texts(), note()]).toEqual([["m-149"], ""]);
  await userEvent.keyboard("x{ArrowDown}{Enter}");
  expect([texts(), note()]).toEqual([[], "There is none."]);
  expect(await problems()).toEqual([]);
});

test("while the models are asked for that is said, and why there are none", async () => {
  let refuse: (reason: object) => void = () => {};
  const { button, note } = await startWith(() => new Promise((_, reject) => (refuse = reject)));
  await userEvent.click(button);
  expect(note()).toBe("Asking for the models…");
  refuse({ status: 404, statusText: "Not Found", body: "" });
  await expect.poll(note).toMatch(/^The models cannot be listed\. The model's API answered 404 Not Found/);
});

test("a list that comes after the panel was closed and opened again is not shown", async () => {
  const answers: ((models: AiModel[]) => void)[] = [];
  const { button, texts } = await startWith(() => new Promise((resolve) => answers.push(resolve)));
  await userEvent.click(button);
  await userEvent.keyboard("{Escape}");
  await userEvent.click(button);
  answers[1]?.(listed);
  await expect.poll(() => texts().length).toBe(3);
  answers[0]?.([]);
  await shown();
  expect(texts()).toHaveLength(3);
});

test("the choice is the conversation's: another has its own, or the page's", async () => {
  const { agent, button } = await startWith();
  const chosen = (model: string) =>
    exchange(model, "One", "Two").map((message) =>
      message.role === "user" ? message : { ...message, chosenModel: model },
    );
  agent.tell({ messages: chosen("large-1") });
  await shown();
  expect([agent.model, agent.keepModel, button.textContent]).toEqual(["large-1", true, "Model: large-1"]);
  agent.conversation = "c2";
  agent.dispatchEvent(new Event("ai-agent:conversation-changed"));
  agent.tell({ messages: chosen("huge") });
  expect(agent.model).toBe("huge");
  agent.conversation = "c3";
  agent.tell({ messages: [] });
  await shown();
  expect([agent.model, agent.keepModel, button.textContent]).toEqual(["", undefined, "Model: small"]);
});

test("a choice goes on while the conversation gets its id and its answers, and ends with it", async () => {
  const { agent, button, element, texts } = await startWith();
  agent.conversation = null;
  agent.dispatchEvent(new Event("ai-agent:conversation-changed"));
  agent.model = "page's";
  await shown();
  await userEvent.click(button);
  await expect.poll(() => texts().length).toBe(3);
  await userEvent.click(find(element, "[role=option]:last-child", HTMLElement));
  agent.conversation = "c9";
  agent.dispatchEvent(new Event("ai-agent:conversation-changed"));
  agent.tell({ messages: exchange("1", "One", "Two") });
  expect(agent.model).toBe("huge");
  agent.conversation = null;
  agent.dispatchEvent(new Event("ai-agent:conversation-changed"));
  agent.tell({ messages: [] });
  expect(agent.model).toBe("page's");
});

test("with a core in the page a choice outlives a first question without an answer, and ends with its conversation", async () => {
  const { agent, button, element, texts } = await startWith();
  agent.connection = "local";
  agent.tell({ conversation: null });
  await userEvent.click(button);
  await expect.poll(() => texts().length).toBe(3);
  await userEvent.click(find(element, "[role=option]:last-child", HTMLElement));
  void agent.send();
  agent.fail(new Error("It broke."));
  expect(agent.model).toBe("huge");
  void agent.send();
  agent.answer("Two");
  expect(agent.model).toBe("huge");
  agent.tell({ messages: [] });
  expect(agent.model).toBe("");
});

test("a stored choice that the page does not permit is left alone", async () => {
  const { agent, models } = await startWith();
  Object.assign(models, { permits: (id: string) => id !== "huge" });
  const [question, answer] = exchange("1", "One", "Two");
  agent.tell({ messages: [question, { ...answer, chosenModel: "huge" }] as AiMessage[] });
  expect([agent.model, agent.keepModel]).toEqual(["", undefined]);
});

test("without a choice there is no button, and the page's model is left alone", async () => {
  const { agent, button, models, talk } = await startWith();
  models.isOn = false;
  talk.draw();
  expect(button.checkVisibility()).toBe(false);
  const [question, answer] = exchange("1", "One", "Two");
  agent.tell({ messages: [question, { ...answer, chosenModel: "huge" }] as AiMessage[] });
  expect(agent.model).toBe("");
});
