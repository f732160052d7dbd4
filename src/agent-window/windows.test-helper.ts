import { onTestFinished, vi } from "vitest";
import type * as AgentWindow from "./index.ts";

const address = new URL("./windows.test-page.xhtml", import.meta.url).pathname;

/** An agent's window's page, or one with a bridge, as the test reaches into it. */
export interface TestWindow extends Window {
  readonly agentWindow: typeof AgentWindow;
  readonly link: AgentWindow.ParentLink;
  readonly injected: unknown[];
}

/** Where an agent's window of the tests is. */
export const agentAddress = `${location.origin}${address}#agent=${encodeURIComponent(location.origin)}`;

/** A frame in the test's page. */
export function openFrame(hash: string): HTMLIFrameElement & { contentWindow: TestWindow } {
  const frame = document.createElement("iframe");
  frame.src = `${address}#${hash}`;
  document.body.append(frame);
  onTestFinished(() => frame.remove());
  return frame as HTMLIFrameElement & { contentWindow: TestWindow };
}

/** A frame with the page of an agent's window, whose parent the test's page is. */
export function openAgentFrame(): HTMLIFrameElement & { contentWindow: TestWindow } {
  return openFrame(`agent=${encodeURIComponent(location.origin)}`);
}

/** Waits until a window has loaded what it needs; after a reload, until the new document has. */
export async function loaded(window: Window, before?: unknown): Promise<TestWindow> {
  const target = window as TestWindow;
  await vi.waitFor(() => {
    const isAgent = target.location.hash.startsWith("#agent");
    if (!target.agentWindow || target.agentWindow === before || (isAgent && !target.link))
      throw new Error("Not loaded.");
  });
  return target;
}

/** Reloads a window and waits for the new document. */
export async function reload(window: TestWindow): Promise<TestWindow> {
  const before = window.agentWindow;
  window.location.reload();
  return loaded(window, before);
}

/** A handler that is done when the test says so. */
export function heldHandler() {
  let settle: ((result: unknown) => void) | undefined;
  const handler = vi.fn<() => Promise<unknown>>(() => new Promise((resolve) => (settle = resolve)));
  return { handler, answer: (result: unknown) => settle?.(result) };
}
