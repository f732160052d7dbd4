import { expect, onTestFinished, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { createList } from "./create-list.ts";

const build = { id: "t1", name: "build", createdAt: 1 };
const tests = { id: "t2", name: "tests", createdAt: 2 };

function showList() {
  const parts = {
    open: vi.fn<(id: string) => void>(),
    rename: vi.fn<(id: string, name: string) => void>(),
    end: vi.fn<(id: string) => void>(),
  };
  const list = createList(parts);
  document.body.append(list.element);
  onTestFinished(() => list.element.remove());
  const names = () => [...list.element.querySelectorAll(".title")].map(({ textContent }) => textContent);
  const find = (selector: string) => list.element.querySelector<HTMLElement>(selector) ?? document.body;
  return { ...list, ...parts, names, find };
}

test("a name that is being typed stays when the list changes, and Escape takes back that alone", async () => {
  const { draw, element, find, names, rename } = showList();
  const around = vi.fn<() => void>();
  element.addEventListener("keydown", around);
  draw([build], "t1");
  await userEvent.click(find('[aria-label="Rename build"]'));
  await userEvent.keyboard("deploy");
  draw([build, tests], "t2");
  await userEvent.keyboard("ment{Enter}");
  expect(rename.mock.calls).toEqual([["t1", "deployment"]]);
  draw([{ ...build, name: "deployment" }, tests], "t2");
  expect(names()).toEqual(["deployment", "tests"]);
  // The focus of a user who renamed it by keyboard is still there.
  expect(document.activeElement).toBe(find('[data-id="t1"] .open'));
  await userEvent.click(find('[aria-label="Rename tests"]'));
  around.mockClear();
  await userEvent.keyboard("{Escape}");
  expect([names(), around.mock.calls]).toEqual([["deployment", "tests"], []]);
});

test("a terminal is ended once that was confirmed, and who did it by keys stands in the list after that", async () => {
  const { draw, end, find, names } = showList();
  draw([build, tests], "t1");
  await userEvent.click(find('[aria-label="End tests"]'));
  expect(document.activeElement?.textContent).toBe("Keep");
  await userEvent.keyboard("{Enter}");
  expect(end).not.toHaveBeenCalled();
  await userEvent.click(find('[aria-label="End tests"]'));
  await userEvent.keyboard("{Shift>}{Tab}{/Shift}{Enter}");
  expect(end.mock.calls).toEqual([["t2"]]);
  draw([build], "t1");
  expect([names(), document.activeElement]).toEqual([["build"], find(".open")]);
  draw([], undefined);
  expect(find(".none").textContent).toBe("None yet.");
  draw([build], "t1");
  expect([find(".none"), names()]).toEqual([document.body, ["build"]]);
});
