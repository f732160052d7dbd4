// The hub's window, used as a user does.
import { expect } from "vitest";
import type { Tab } from "../e2e/support/tab.ts";
import { agentOrigin } from "./agent-window-world.ts";

/** The window that an action in the app opens, once it shows that it has the app's tools. */
export async function openFrom(app: Tab, action: () => Promise<unknown>): Promise<Tab> {
  const assistant = await app.popup(action);
  await assistant.loaded(agentOrigin);
  await assistant.waitFor("/, [1-9]\\d* tools?/.test(document.querySelector('header')?.textContent)");
  return assistant;
}

/** Allows the pending tool call, once. */
export async function allow(assistant: Tab): Promise<void> {
  // A user brings the window with the question to the front.
  await assistant.activate();
  await assistant.click('.approval .choices .strong[aria-disabled="false"]');
}

/** Waits until the latest answer is complete and contains this text. */
export async function answered(assistant: Tab, words: string): Promise<void> {
  const newest = `Array.from(document.querySelectorAll("article.answer")).at(-1)`;
  await assistant.waitFor(`${newest}?.getAttribute("aria-busy") === "false"`);
  await expect.poll(() => assistant.evaluate(`${newest}?.textContent`)).toContain(words);
}
