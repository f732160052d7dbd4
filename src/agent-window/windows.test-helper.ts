import { onTestFinished, vi } from "vitest";
import type * as AgentWindow from "./index.ts";

const address = new URL("./windows.test-page.xhtml", import.meta.url).pathname;

/** The page of an agent's window, or a page with a bridge, with its test functions. */
export interface TestWindow extends Window {
  readonly agentWindow: typeof AgentWindow;
  readonly link: AgentWindow.ParentLink;
  readonly injected: unknown[];
}

/** The address of an agent's window in tests. */
export const agentAddress = `${location.origin}${address}#agent=${encodeURIComponent(location.origin)}`;

/** A frame in the test's page. */
export function openFrame(hash: string): HTMLIFrameElement & { contentWindow: TestWindow } {
  const frame = document.createElement("iframe");
  frame.src = `${address}#${hash}`;
  document.body.append(frame);
  onTestFinished(() => frame.remove());
  return frame as HTMLIFrameElement & { contentWindow: TestWindow };
}

/** A frame with the page of an agent's window, whose parent is the test's page. */
export function openAgentFrame(): HTMLIFrameElement & { contentWindow: TestWindow } {
  return openFrame(`agent=${encodeURIComponent(location.origin)}`);
}

/** Waits until a window is loaded; after a reload, until the new document is. */
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

/** A handler that the test ends. */
export function heldHandler() {
  let settle: ((result: unknown) => void) | undefined;
  const handler = vi.fn<() => Promise<unknown>>(() => new Promise((resolve) => (settle = resolve)));
  return { handler, answer: (result: unknown) => settle?.(result) };
}
