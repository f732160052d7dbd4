import { afterEach, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { createHistory } from "./create-history.ts";

afterEach(() => document.body.replaceChildren());

function showHistory(ids = ["a", "b", "c"]) {
  let kept = ids;
  let current: string | null = "b";
  const failing = new Set<string>();
  const request = vi.fn<(method: string, path: string) => Promise<unknown>>(async (method, path) => {
    if (failing.has(method)) throw new Error("The hub is away.");
    if (method === "DELETE") kept = kept.filter((id) => path !== `/api/conversations/${id}`);
    return { conversations: kept.map((id) => ({ id, title: `Talk ${id}`, changedAt: 0 })) };
  });
  const open = vi.fn<(id: string) => void>();
  const begin = vi.fn<() => void>(() => void (current = null));
  const history = createHistory({
    session: { request },
    getCurrent: () => current,
    open,
    begin,
    announce: () => {},
    pause: () => Promise.resolve(),
  });
  document.body.append(history.element);
  const titles = () => [...history.element.querySelectorAll(".open .title")].map(({ textContent }) => textContent);
  const find = (id: string, part: string) => {
    const found = history.element.querySelector<HTMLElement>(`[data-id="${id}"] .${part}`);
    if (!found) throw new Error(`There is no .${part} of ${id}.`);
    return found;
  };
  return { history, request, open, begin, titles, find, failing, setKept: (next: string[]) => (kept = next) };
}

test("the list shows the conversations, marks the one of now, and opens one", async () => {
  const { history, titles, open, find } = showHistory();
  await history.refresh();
  expect(titles()).toEqual(["Talk a", "Talk b", "Talk c"]);
  expect(history.element.querySelector("[aria-current=true]")).toBe(find("b", "open"));
  await userEvent.click(find("c", "open"));
  expect(open).toHaveBeenCalledExactlyOnceWith("c");
});

test("after an answer it is asked for until it has the conversation of now", async () => {
  const { history, titles, request, setKept } = showHistory(["a"]);
  request.mockImplementationOnce(async () => ({ conversations: [] }));
  setKept(["b", "a"]);
  await history.refreshAfterAnswer();
  expect(titles()).toEqual(["Talk b", "Talk a"]);
  expect(request).toHaveBeenCalledTimes(2);
});

test("a list that fails to load shows an error, and keeps its entries", async () => {
  const { history, titles, failing } = showHistory();
  await history.refresh();
  failing.add("GET");
  await history.refresh();
  expect(history.element.querySelector("[role=alert]")?.textContent).toContain("The hub is away.");
  expect(titles()).toHaveLength(3);
});

test("deleting asks first, and can be left", async () => {
  const { history, request, find, titles } = showHistory();
  await history.refresh();
  await userEvent.click(find("a", "delete"));
  expect(document.activeElement).toBe(find("a", "keep"));
  await userEvent.keyboard("{Escape}");
  expect(document.activeElement).toBe(find("a", "delete"));
  await userEvent.click(find("a", "delete"));
  await userEvent.click(find("a", "keep"));
  expect(titles()).toHaveLength(3);
  expect(request).toHaveBeenCalledTimes(1);
  await userEvent.click(find("a", "delete"));
  await userEvent.click(find("a", "yes"));
  await expect.poll(titles).toEqual(["Talk b", "Talk c"]);
  expect(document.activeElement).toBe(find("b", "open"));
});

test("when the conversation of now is deleted another one begins", async () => {
  const { history, begin, find, titles } = showHistory();
  await history.refresh();
  await userEvent.click(find("b", "delete"));
  await userEvent.click(find("b", "yes"));
  await expect.poll(titles).toEqual(["Talk a", "Talk c"]);
  expect(begin).toHaveBeenCalledOnce();
});

test("what could not be deleted is still there, with the reason", async () => {
  const { history, failing, find, titles } = showHistory();
  await history.refresh();
  failing.add("DELETE");
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
