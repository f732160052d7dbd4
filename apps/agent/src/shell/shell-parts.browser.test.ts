import { afterEach, expect, test, vi } from "vitest";
import { createAnnouncer } from "./create-announcer.ts";
import { createNotices } from "./create-notices.ts";
import { createStatus } from "./create-status.ts";

afterEach(() => document.body.replaceChildren());

test("a notice is announced when it appears, is not redrawn while unchanged, and disappears", () => {
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

test("the status has text, which its dots repeat in colours", () => {
  const { element, draw } = createStatus();
  draw([undefined, { text: "Connected", tone: "ok" }]);
  expect(element.textContent).toBe("Connected");
  expect(element.querySelector(".dot")?.ariaHidden).toBe("true");
});

test("the live regions repeat a message that is announced twice", () => {
  const { element, announce } = createAnnouncer();
  const region = (role: string) => element.querySelector(`[role=${role}]`);
  announce("Done");
  announce("Done");
  announce("Stop", true);
  expect([region("status")?.children.length, region("alert")?.textContent]).toEqual([2, "Stop"]);
  for (let count = 0; count < 50; count += 1) announce("More");
  expect(region("status")?.children.length).toBeLessThan(10);
});
