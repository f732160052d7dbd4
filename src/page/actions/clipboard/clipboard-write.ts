import { PagewireError, messageOf } from "../../../wire/index.ts";
import type { Action } from "../registration/action.ts";

export interface ClipboardOptions {
  /** Which agents may write to the clipboard: only programs in a terminal (the default), or all. */
  readonly agents?: "terminal" | "all";
}

/** Lets programs copy text to the clipboard of the user's computer. */
export function clipboardWrite({ agents = "terminal" }: ClipboardOptions = {}): Action {
  return {
    name: "clipboard_write",
    handler: ({ text }) => copyText(text),
    options: {
      title: "Copy to the clipboard",
      description: "Puts a text on the clipboard of the computer that shows this page.",
      inputSchema: { type: "object", properties: { text: { type: "string" } } },
      annotations: { idempotentHint: true },
      agents,
    },
  };
}

/** Copies a text; throws with the browser's reason where that fails. */
export async function copyText(text: unknown): Promise<string> {
  if (typeof text !== "string" || text === "") throw new TypeError("missing text");
  let why = "it has no clipboard for pages that are not secure";
  try {
    if (isSecureContext) {
      await navigator.clipboard.writeText(text);
      return "Copied.";
    }
  } catch (error) {
    why = messageOf(error).replace(/\.$/, "");
  }
  if (copyByEvent(text)) return "Copied.";
  throw new PagewireError(
    "action-unavailable",
    `The browser did not let this page write to the clipboard: ${why}. Click in the page, and copy again.`,
  );
}

/**
 * Copies as if the person had chosen to: where a click or a key was just pressed, browsers allow that without asking.
 */
function copyByEvent(text: string): boolean {
  let isCopied = false;
  const put = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
    // A terminal or an editor would replace the text with its own selection.
    event.stopImmediatePropagation();
    isCopied = event.clipboardData !== null;
  };
  addEventListener("copy", put, { capture: true });
  try {
    return document.execCommand("copy") && isCopied;
  } finally {
    removeEventListener("copy", put, { capture: true });
  }
}
