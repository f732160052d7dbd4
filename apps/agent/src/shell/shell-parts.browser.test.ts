import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { createSafeStorage } from "../safe-storage.ts";
import { createAnnouncer } from "./create-announcer.ts";
import { createDrawer } from "./create-drawer.ts";
import { createNotices } from "./create-notices.ts";
import { createStatus } from "./create-status.ts";
import { applyTheme } from "./theme.ts";
import { createThemeButton } from "./theme-button.ts";

const storage = createSafeStorage(() => localStorage);

beforeEach(() => localStorage.clear());
afterEach(() => {
  document.body.replaceChildren();
  delete document.documentElement.dataset["theme"];
});

test("AW59, AW60: a notice is told when it comes, stays as it is while nothing changes, and goes", () => {
  const { element, set } = createNotices();
  document.body.append(element);
  expect(element.role).toBe("status");
  const run = vi.fn<() => void>();
  const notice = {
    tone: "warn",
    text: "Not allowed.",
    command: "npx pagewire allow x",
    action: { label: "Check again", run },
  } as const;
  set("parent", notice);
  const box = element.firstElementChild;
  set("hub", { tone: "danger", text: "Gone." });
  set("parent", { ...notice });
  expect(element.firstElementChild).toBe(box);
  expect(element.querySelector("code")?.textContent).toBe("npx pagewire allow x");
  element.querySelector<HTMLElement>(".notice > .button")?.click();
  expect(run).toHaveBeenCalledOnce();
  set("parent", undefined);
  expect([...element.children].map(({ textContent }) => textContent)).toEqual(["Gone."]);
});

test("AW59: the status says in words what its dots repeat in colours", () => {
  const { element, draw } = createStatus();
  draw([undefined, { text: "Connected", tone: "ok" }]);
  expect(element.textContent).toBe("Connected");
  expect(element.querySelector(".dot")?.ariaHidden).toBe("true");
});

test("AW69: the drawer takes the focus, keeps what is behind it out of reach, and gives both back", async () => {
  const behind = document.createElement("main");
  const { button, element, scrim } = createDrawer([document.createElement("ul")], [behind]);
  document.body.append(button, element, behind, scrim);
  await userEvent.click(button);
  expect([behind.inert, element.contains(document.activeElement), button.ariaExpanded]).toEqual([true, true, "true"]);
  await userEvent.keyboard("{Escape}");
  expect([behind.inert, document.activeElement === button, scrim.hidden]).toEqual([false, true, true]);
});

test("AW70: the theme follows the system until somebody chooses, and the choice is kept", () => {
  const button = createThemeButton(storage);
  expect(document.documentElement.dataset["theme"]).toBeUndefined();
  const toDark = button.ariaLabel?.includes("dark") === true;
  button.click();
  expect(document.documentElement.dataset["theme"]).toBe(toDark ? "dark" : "light");
  delete document.documentElement.dataset["theme"];
  applyTheme(storage);
  expect(createThemeButton(storage).ariaLabel).toContain(toDark ? "light" : "dark");
  expect(document.documentElement.dataset["theme"]).toBe(toDark ? "dark" : "light");
});

test("AW70: where the browser keeps nothing the choice holds for the document", () => {
  const refusing = createSafeStorage(() => {
    throw new DOMException("No", "SecurityError");
  });
  createThemeButton(refusing).click();
  expect(refusing.write("a", "b")).toBe(false);
  expect([refusing.read("a"), refusing.read("never")]).toEqual(["b", undefined]);
  refusing.write("a", undefined);
  expect(refusing.read("a")).toBeUndefined();
});

test("AW72: the live regions say the same thing twice when they are told twice", () => {
  const { element, announce } = createAnnouncer();
  const region = (role: string) => element.querySelector(`[role=${role}]`);
  announce("Done");
  announce("Done");
  announce("Stop", true);
  expect([region("status")?.children.length, region("alert")?.textContent]).toEqual([2, "Stop"]);
  for (let count = 0; count < 50; count += 1) announce("More");
  expect(region("status")?.children.length).toBeLessThan(10);
});
