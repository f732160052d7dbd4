import { signal } from "@preact/signals";
import { render } from "preact";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { createAnnouncer } from "pagewire/chat/dom";
import { Notices, Status } from "./standing.tsx";
import type { Notice, Standing } from "./status-texts.ts";

afterEach(() => render(null, document.body));

test("a notice is announced when it appears, is not redrawn while unchanged, and disappears", async () => {
  const run = vi.fn<() => void>();
  const notice: Notice = {
    tone: "warn",
    text: "Not allowed.",
    command: "npx pagewire allow x",
    action: { label: "Check again", run },
  };
  const notices = signal<Readonly<Record<string, Notice | undefined>>>({ parent: notice });
  render(<Notices notices={notices} />, document.body);
  const region = document.querySelector("[role=status]");
  const box = region?.firstElementChild;
  const texts = () => [...(region?.querySelectorAll(".notice > p") ?? [])].map(({ textContent }) => textContent);
  notices.value = { hub: { tone: "danger", text: "Gone." }, parent: { ...notice } };
  await expect.poll(texts).toEqual(["Gone.", "Not allowed."]);
  expect(region?.lastElementChild).toBe(box);
  expect(box?.querySelector("code")?.textContent).toBe("npx pagewire allow x");
  box?.querySelector<HTMLElement>(":scope > .button")?.click();
  expect(run).toHaveBeenCalledOnce();
  notices.value = { ...notices.value, parent: undefined };
  await expect.poll(texts).toEqual(["Gone."]);
});

test("the status has text, which its dots repeat in colours", () => {
  render(<Status states={signal<readonly Standing[]>([{ text: "Connected", tone: "ok" }])} />, document.body);
  const status = document.querySelector(".status");
  expect([status?.textContent, status?.querySelector(".dot")?.ariaHidden]).toEqual(["Connected", "true"]);
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

test("a live region does not keep a text that a screen reader would find out of date", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { element, announce } = createAnnouncer();
  announce("The assistant is answering.");
  announce("Your approval is needed.", true);
  expect(element.textContent).toBe("The assistant is answering.Your approval is needed.");
  vi.advanceTimersByTime(10_000);
  expect(element.textContent).toBe("");
});
