// Clipboard requests of programs (OSC 52). They use the action `clipboard_write`, and are refused where the app left it out.
import { clipboardWrite } from "../page/actions/index.ts";
import type { Action } from "../page/actions/index.ts";
import { messageOf } from "../wire/index.ts";
import type { Notes } from "./parts/create-notes.ts";
import { makeButton } from "./parts/make.ts";

/** Max bytes that a program may copy. */
const maxCopy = 1024 * 1024;

/** A parsed OSC 52 request. */
type ClipboardRequest =
  | { readonly kind: "write"; readonly text: string }
  /** Programs also copy empty selections. */
  | { readonly kind: "nothing" }
  | { readonly kind: "refused"; readonly message: string };

/** Parses the data of an OSC 52 sequence. Programs may write to the clipboard but never read it. */
export function parseClipboardWrite(data: string): ClipboardRequest {
  const [target = "", encoded = ""] = data.split(";", 2);
  if (!/^[cpqs0-7]*$/.test(target) || !data.includes(";")) return refused("something that cannot be understood");
  if (encoded === "?") return { kind: "refused", message: "A program wanted to read the clipboard, and may not." };
  if (encoded === "") return { kind: "nothing" };
  if (encoded.length > Math.ceil(maxCopy / 3) * 4) return refused("more than 1 MB");
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return { kind: "write", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return refused("something that is no text");
  }
}

function refused(what: string): ClipboardRequest {
  return { kind: "refused", message: `A program wanted to put ${what} into the clipboard, and may not.` };
}

export interface ClipboardParts {
  readonly hub: string;
  readonly actions: readonly Action[];
  readonly notes: Pick<Notes, "say" | "offer">;
}

/** Returns a handler for OSC 52 data: it copies and shows a note, one at a time. Of queued requests only the newest counts. */
export function createClipboardTaker(parts: ClipboardParts): (data: string) => void {
  let isBusy = false;
  let next: string | undefined;

  async function takeAll(): Promise<void> {
    isBusy = true;
    for (let data = next; data !== undefined; data = next) {
      next = undefined;
      await takeClipboard(data, parts);
    }
    isBusy = false;
  }

  return (data) => {
    // Keeping only the newest bounds memory if a program copies in a loop.
    next = data;
    if (!isBusy) void takeAll();
  };
}

async function takeClipboard(data: string, { hub, actions, notes }: ClipboardParts): Promise<void> {
  const request = parseClipboardWrite(data);
  if (request.kind === "nothing") return;
  if (request.kind === "refused") return notes.say(request.message);
  const action = actions.find(({ name }) => name === "clipboard_write");
  if (!action) return notes.say("A program wanted to copy something, and this page lets none.");
  const { text } = request;
  const much = text.length === 1 ? "1 character" : `${text.length} characters`;
  try {
    await copyBy(action, hub, text);
    notes.say(`Copied to the clipboard: ${much}.`);
  } catch (error) {
    // Browsers may require a click first.
    const button = makeButton("Copy", () => {
      void copyText(text, hub).then((isCopied) => isCopied || notes.say("The browser does not let this page copy."));
    });
    notes.offer(`A program wants to copy ${much}. ${messageOf(error)}`, button);
  }
}

/** Copies a text through an action; rejects if the browser, or the action, refuses. */
async function copyBy({ handler }: Action, hub: string, text: string): Promise<void> {
  const { signal } = new AbortController();
  const agent = { name: "terminal" };
  await handler({ text }, { signal, callId: "terminal", agent, hub, progress: () => {}, chunk: () => {} });
}

/** Copies the user's selection; resolves with whether the browser allowed it. */
export async function copyText(text: string, hub: string): Promise<boolean> {
  try {
    await copyBy(clipboardWrite(), hub, text);
    return true;
  } catch {
    return false;
  }
}
