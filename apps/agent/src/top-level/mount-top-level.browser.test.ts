import { createFakeClock } from "pagewire/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { askMessage, decisionMessage, readyToAsk } from "./approval-messages.ts";
import type { AskedApproval } from "./approval-messages.ts";
import { mountTopLevel } from "./mount-top-level.ts";
import type { TopLevelPowers } from "./mount-top-level.ts";

const asked: AskedApproval = {
  nonce: "nonce-1",
  request: {
    tool: "parent-window_delete_orders",
    title: "Delete\u202E orders",
    origin: "https://shop.example",
    arguments: { ids: [1, 2], note: "all\u200B <b>old</b>" },
    agent: { name: "The assistant" },
    description: "Removes them <i>all</i>.",
    destructive: true,
    reason: "It can change something.",
  },
};
const armingTime = 700;

/** A window of this origin that can ask, and the messages that it receives. */
async function openFrame() {
  const frame = document.createElement("iframe");
  frame.srcdoc = "<!doctype html>";
  const isLoaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  document.body.append(frame);
  onTestFinished(() => frame.remove());
  await isLoaded;
  const window = frame.contentWindow as Window & typeof globalThis;
  const heard: unknown[] = [];
  window.addEventListener("message", ({ data }) => heard.push(data));
  const post = window.eval("(to, data, origin) => to.postMessage(data, origin)") as (...given: unknown[]) => void;
  return { frame, window, heard, ask: (what = asked) => post(globalThis.window, askMessage(what), location.origin) };
}

/** The window of the question. */
async function mounted(given: Partial<TopLevelPowers> = {}) {
  const root = document.createElement("div");
  document.body.append(root);
  const clock = createFakeClock();
  const asking = await openFrame();
  const closeWindow = vi.fn<() => void>();
  const powers = { clock, origin: location.origin, isTopLevel: true, asking: asking.window, closeWindow };
  const page = mountTopLevel(root, { ...powers, ...given });
  onTestFinished(() => {
    page.close();
    root.remove();
  });
  const button = (label: string) => {
    const found = [...root.querySelectorAll("button")].find(({ textContent }) => textContent === label);
    if (!found) throw new Error(`There is no button "${label}".`);
    return found;
  };
  return { root, clock, asking, closeWindow, button };
}

test("the question shows the tool, whose it is, the exact arguments and the reason, and hides nothing", async () => {
  const { root, asking } = await mounted();
  await vi.waitFor(() => expect(asking.heard).toEqual([readyToAsk]));
  asking.ask();
  await vi.waitFor(() => expect(root.querySelector("pre")).not.toBeNull());
  for (const text of [
    "Delete⟨U+202E⟩ orders",
    "https://shop.example",
    "It can change",
    "all</i>",
    "delete or overwrite",
  ])
    expect(root.textContent).toContain(text);
  expect(root.querySelector("pre")?.textContent).toContain("all⟨U+200B⟩ <b>old</b>");
  expect(root.querySelector("pre b")).toBeNull();
  expect([...root.querySelectorAll("button")].map(({ textContent }) => textContent)).toEqual([
    "Allow once",
    "Don't allow",
    "Allow for this session",
    "Always allow this tool",
    "Never allow this tool",
  ]);
});

test("where each call is asked about, no answer holds for more than one", async () => {
  const { root, asking } = await mounted();
  asking.ask({ ...asked, request: { ...asked.request, once: true } });
  await vi.waitFor(() => expect(root.querySelectorAll("button")).toHaveLength(2));
});

test("a decision counts a moment after the question came, and from a person, not from a script", async () => {
  const { root, clock, asking, button, closeWindow } = await mounted();
  asking.ask();
  await vi.waitFor(() => button("Allow once"));
  // A button that does not count yet is disabled for every client, such as the driver of this test.
  await userEvent.click(button("Allow once"), { force: true });
  await clock.advance(armingTime);
  button("Allow once").click();
  button("Allow once").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  window.dispatchEvent(new Event("resize"));
  await userEvent.click(button("Allow once"), { force: true });
  expect(closeWindow).not.toHaveBeenCalled();
  await clock.advance(armingTime);
  await userEvent.click(root.querySelector(".more summary") ?? root);
  // An unfolded part moves the answers.
  await userEvent.click(button("Always allow this tool"), { force: true });
  expect(closeWindow).not.toHaveBeenCalled();
  await clock.advance(armingTime);
  await userEvent.click(button("Always allow this tool"));
  expect(closeWindow).toHaveBeenCalledOnce();
  const decision = decisionMessage("nonce-1", { approved: true, scope: "always" });
  await vi.waitFor(() => expect(asking.heard).toEqual([readyToAsk, decision]));
});

test("a hidden window decides nothing", async () => {
  const { clock, asking, button, closeWindow } = await mounted();
  asking.ask();
  await vi.waitFor(() => button("Don't allow"));
  await clock.advance(armingTime);
  const visibility = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  onTestFinished(() => visibility.mockRestore());
  await userEvent.click(button("Don't allow"));
  expect(closeWindow).not.toHaveBeenCalled();
});

test("only the window that opened it can ask, and a frame never shows a question", async () => {
  const { root, asking } = await mounted();
  const stranger = await openFrame();
  stranger.ask();
  asking.ask({ ...asked, request: { ...asked.request, once: true } });
  await vi.waitFor(() => expect(root.querySelectorAll("button")).toHaveLength(2));
  const framed = await mounted({ isTopLevel: false });
  const alone = await mounted({ asking: null });
  framed.asking.ask();
  asking.ask();
  await vi.waitFor(() => expect(root.querySelectorAll("button")).toHaveLength(5));
  for (const { root: none } of [framed, alone]) {
    expect(none.querySelectorAll("button")).toHaveLength(0);
    expect(none.textContent).toContain("only in a window that it opened");
  }
  expect(framed.asking.heard).toEqual([]);
});

test("a question whose window is gone closes", async () => {
  const { clock, asking, closeWindow } = await mounted();
  asking.frame.remove();
  await clock.advance(500);
  expect(closeWindow).toHaveBeenCalledOnce();
});
