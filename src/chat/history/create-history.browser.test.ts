import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { FakeAgent } from "../fake-agent.test-helper.ts";
import type { ConversationEntry } from "./conversations.ts";
import { createHistory } from "./create-history.ts";

afterEach(() => document.body.replaceChildren());

function showHistory(ids = ["a", "b", "c"]) {
  let kept = ids;
  let current: string | null = "b";
  const failing = new Set<string>();
  const agent = new FakeAgent();
  const list = vi.fn<() => Promise<ConversationEntry[]>>(async () => {
    if (failing.has("list")) throw new Error("The hub is away.");
    return kept.map((id) => ({ id, title: `Talk ${id}`, changedAt: 0 }));
  });
  const open = vi.fn<(id: string | null) => void>((id) => void (current = id));
  const history = createHistory({
    agent,
    conversations: {
      get current() {
        return current;
      },
      list,
      async remove(id) {
        if (failing.has("remove")) throw new Error("The hub is away.");
        kept = kept.filter((one) => one !== id);
      },
    },
    open,
    announce: () => {},
    pause: () => Promise.resolve(),
  });
  onTestFinished(history.close);
  document.body.append(history.element);
  const titles = () => [...history.element.querySelectorAll(".open .title")].map(({ textContent }) => textContent);
  const find = (id: string, part: string) => {
    const found = history.element.querySelector<HTMLElement>(`[data-id="${id}"] .${part}`);
    if (!found) throw new Error(`There is no .${part} of ${id}.`);
    return found;
  };
  const setKept = (next: string[]) => (kept = next);
  const setCurrent = (next: string | null) => (current = next);
  return { history, agent, list, open, titles, find, failing, setKept, setCurrent };
}

test("the list shows the conversations, marks the one of now, and opens one", async () => {
  const { history, titles, open, find, agent, setCurrent } = showHistory();
  await history.refresh();
  expect(titles()).toEqual(["Talk a", "Talk b", "Talk c"]);
  expect(history.element.querySelector("[aria-current=true]")).toBe(find("b", "open"));
  setCurrent("a");
  agent.tell({ conversation: "a" });
  expect(history.element.querySelector("[aria-current=true]")).toBe(find("a", "open"));
  await userEvent.click(find("c", "open"));
  expect(open).toHaveBeenCalledExactlyOnceWith("c");
});

test("after an answer it is asked for until it has the conversation of now, and not once it is closed", async () => {
  const { history, titles, agent, list, setKept } = showHistory(["b", "a"]);
  list.mockImplementationOnce(async () => []);
  setKept(["b", "a"]);
  agent.tell({ loading: true });
  expect(list).not.toHaveBeenCalled();
  agent.tell({ loading: false });
  await expect.poll(titles).toEqual(["Talk b", "Talk a"]);
  expect(list).toHaveBeenCalledTimes(2);
  history.close();
  agent.tell({ loading: false });
  expect(list).toHaveBeenCalledTimes(2);
});

test("a list that fails to load shows an error, and keeps its entries", async () => {
  const { history, titles, failing } = showHistory();
  await history.refresh();
  failing.add("list");
  await history.refresh();
  expect(history.element.querySelector("[role=alert]")?.textContent).toContain("The hub is away.");
  expect(titles()).toHaveLength(3);
});

test("deleting asks first, and can be left", async () => {
  const { history, list, find, titles } = showHistory();
  await history.refresh();
  await userEvent.click(find("a", "delete"));
  expect(document.activeElement).toBe(find("a", "keep"));
  await userEvent.keyboard("{Escape}");
  expect(document.activeElement).toBe(find("a", "delete"));
  await userEvent.click(find("a", "delete"));
  await userEvent.click(find("a", "keep"));
  expect(titles()).toHaveLength(3);
  expect(list).toHaveBeenCalledTimes(1);
  await userEvent.click(find("a", "delete"));
  await userEvent.click(find("a", "yes"));
  await expect.poll(titles).toEqual(["Talk b", "Talk c"]);
  expect(document.activeElement).toBe(find("b", "open"));
});

test("when the conversation of now is deleted another one begins", async () => {
  const { history, open, find, titles } = showHistory();
  await history.refresh();
  await userEvent.click(find("b", "delete"));
  await userEvent.click(find("b", "yes"));
  await expect.poll(titles).toEqual(["Talk a", "Talk c"]);
  expect(open).toHaveBeenCalledExactlyOnceWith(null);
});

test("what could not be deleted is still there, with the reason", async () => {
  const { history, failing, find, titles } = showHistory();
  await history.refresh();
  failing.add("remove");
  await userEvent.click(find("a", "delete"));
  await userEvent.click(find("a", "yes"));
  await expect.poll(() => history.element.querySelector("[role=alert]")?.textContent).toContain("It was not deleted");
  expect(titles()).toHaveLength(3);
});

test("the list works by keyboard, and keeps the focus when it is redrawn", async () => {
  const { history, open, find } = showHistory();
  await history.refresh();
  find("a", "open").focus();
  await userEvent.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}");
  expect(document.activeElement).toBe(find("c", "open"));
  await userEvent.keyboard("{Home}{ArrowDown}{Enter}");
  expect(open).toHaveBeenCalledExactlyOnceWith("b");
  await history.refresh();
  expect(document.activeElement).toBe(find("b", "open"));
  await userEvent.keyboard("{End}{Delete}");
  expect(document.activeElement).toBe(find("c", "keep"));
});

test("a long list is searched by the words of its titles; a short one has no field for that", async () => {
  const ids = ["a", "b", "c", "d", "e", "f", "g", "sales of may", "sales of june"];
  const { history, titles, setKept } = showHistory(ids);
  await history.refresh();
  const field = history.element.querySelector<HTMLInputElement>("input[type=search]");
  await userEvent.fill(field as HTMLInputElement, "JUNE sales");
  expect(titles()).toEqual(["Talk sales of june"]);
  await userEvent.fill(field as HTMLInputElement, "nowhere");
  expect(history.element.querySelector(".none")?.textContent).toBe("No conversation has these words in its title.");
  await userEvent.fill(field as HTMLInputElement, "");
  expect(titles().length).toBe(9);
  setKept(["a"]);
  await history.refresh();
  expect(field?.checkVisibility()).toBe(false);
});
