import { render } from "preact";
import { expect, onTestFinished, test, vi } from "vitest";
import type { TerminalInfo } from "pagewire/terminal";
import { userEvent } from "vitest/browser";
import { TerminalList } from "./terminal-list.tsx";

const build = { id: "t1", name: "build", createdAt: 1 };
const tests = { id: "t2", name: "tests", createdAt: 2 };

function showList() {
  const open = vi.fn<(id: string) => void>();
  const rename = vi.fn<(id: string, name: string) => void>();
  const end = vi.fn<(id: string) => void>();
  const element = document.createElement("div");
  document.body.append(element);
  onTestFinished(() => {
    render(null, element);
    element.remove();
  });
  const draw = (terminals: readonly TerminalInfo[], current: string | undefined): void =>
    render(<TerminalList {...{ terminals, current }} onOpen={open} onRename={rename} onEnd={end} />, element);
  const names = () => [...element.querySelectorAll(".title")].map(({ textContent }) => textContent);
  const find = (selector: string) => element.querySelector<HTMLElement>(selector) ?? document.body;
  const hasFocus = async (selector: string): Promise<void> => {
    await expect.poll(() => document.activeElement === find(selector)).toBe(true);
  };
  return { draw, element, rename, end, names, find, hasFocus };
}

test("a name that is being edited stays when the list changes, and Escape cancels only the edit", async () => {
  const { draw, element, find, names, rename, hasFocus } = showList();
  const around = vi.fn<() => void>();
  element.addEventListener("keydown", around);
  draw([build], "t1");
  await userEvent.click(find('[aria-label="Rename build"]'));
  await hasFocus("input");
  await userEvent.keyboard("deploy");
  draw([build, tests], "t2");
  await userEvent.keyboard("ment{Enter}");
  expect(rename.mock.calls).toEqual([["t1", "deployment"]]);
  draw([{ ...build, name: "deployment" }, tests], "t2");
  expect(names()).toEqual(["deployment", "tests"]);
  // The focus of a user who renamed it by keyboard is still there.
  await hasFocus('[data-id="t1"] .open');
  await userEvent.click(find('[aria-label="Rename tests"]'));
  await hasFocus("input");
  around.mockClear();
  await userEvent.keyboard("{Escape}");
  await expect.poll(names).toEqual(["deployment", "tests"]);
  expect(around.mock.calls).toEqual([]);
});

test("a terminal ends after confirmation, and the keyboard focus stays in the list", async () => {
  const { draw, end, find, names, hasFocus } = showList();
  draw([build, tests], "t1");
  await userEvent.click(find('[aria-label="End tests"]'));
  await hasFocus(".keep");
  await userEvent.keyboard("{Enter}");
  expect(end).not.toHaveBeenCalled();
  await hasFocus('[data-id="t2"] .open');
  await userEvent.click(find('[aria-label="End tests"]'));
  await hasFocus(".keep");
  await userEvent.keyboard("{Shift>}{Tab}{/Shift}{Enter}");
  expect(end.mock.calls).toEqual([["t2"]]);
  draw([build], "t1");
  expect(names()).toEqual(["build"]);
  await hasFocus(".open");
  draw([], undefined);
  expect(find(".none").textContent).toBe("None yet.");
  draw([build], "t1");
  expect([find(".none"), names()]).toEqual([document.body, ["build"]]);
});
