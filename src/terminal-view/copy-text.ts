import { clipboardWrite } from "../page/actions/index.ts";
import type { Action } from "../page/actions/index.ts";

/** Copies a text by an action that does so; rejects where the browser, or the action, refuses. */
export async function copyBy({ handler }: Action, hub: string, text: string): Promise<void> {
  const { signal } = new AbortController();
  const agent = { name: "terminal" };
  await handler({ text }, { signal, callId: "terminal", agent, hub, progress: () => {}, chunk: () => {} });
}

/** Copies what somebody chose to copy; says whether the browser let it. */
export async function copyText(text: string, hub: string): Promise<boolean> {
  try {
    await copyBy(clipboardWrite(), hub, text);
    return true;
  } catch {
    return false;
  }
}
