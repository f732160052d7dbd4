import { PagewireError, messageOf, shortMessage } from "../wire/index.ts";
import type { ErrorCode } from "../wire/index.ts";
import type { ConnectionReason } from "./bridge-states.ts";

/** The outcome of a call, as it is sent with the call's id. */
export type ToolAnswer =
  | { readonly success: true; readonly result?: unknown; readonly json?: string }
  | { readonly success: false; readonly error: string; readonly code: ErrorCode };

/** The answer to a call that ends with an error. */
export function answerWith(thrown: unknown): ToolAnswer & { readonly success: false } {
  const code = PagewireError.isInstance(thrown) ? thrown.code : "internal-error";
  return { success: false, error: shortMessage(messageOf(thrown)), code };
}

/** A Cross-Origin-Opener-Policy cut the window off from the page that opened it. */
export const cutOff = new PagewireError(
  "window-unreachable",
  "The agent's window was cut off from this page by a Cross-Origin-Opener-Policy. Send same-origin-allow-popups with this page, or show the agent in a frame with mount().",
);

/** The window never answered. */
export function unreachable(agent: string, page: string): PagewireError {
  const message = `The agent's window at ${agent} does not answer this page. Does the address work, and is ${page} allowed there?`;
  return new PagewireError("window-unreachable", message);
}

/** The module that runs the agent's calls could not be loaded. */
export function partMissing(error: unknown): PagewireError {
  const message = `The code that runs tools could not be loaded (${messageOf(error)}). Try again.`;
  return new PagewireError("part-missing", message, { cause: error });
}

/** Messages waited for a window that is gone. */
export function notDelivered(count: number, reason: ConnectionReason): PagewireError {
  const what = count === 1 ? "A message" : `${count} messages`;
  return new PagewireError("not-delivered", `${what} that waited for the agent's window had to go (${reason}).`);
}

/** A call ran for a window that is gone. */
export function windowGone(reason: ConnectionReason): PagewireError {
  return new PagewireError("cancelled", `The call was ended: the page let go of the agent's window (${reason}).`);
}

export function destroyed(): PagewireError {
  return new PagewireError("cancelled", "This bridge was destroyed. Make another one with: new AgentBridge(…)");
}

export function invalid(message: string): PagewireError {
  return new PagewireError("options-invalid", message);
}
