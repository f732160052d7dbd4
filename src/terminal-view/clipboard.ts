// What programs want of the clipboard with OSC 52: it goes the way of the action `clipboard_write`, and where an app
// left that out, it does not go at all.
import type { Action } from "../page/actions/index.ts";
import { messageOf } from "../wire/index.ts";
import { copyBy, copyText } from "./copy-text.ts";
import type { Notes } from "./parts/create-notes.ts";
import { makeButton } from "./parts/make.ts";
import { parseClipboardWrite } from "./screen/parse-clipboard-write.ts";

export interface ClipboardParts {
  readonly hub: string;
  readonly actions: readonly Action[];
  readonly notes: Pick<Notes, "say" | "offer">;
}

/** What does as a program asks with the data of an OSC 52 sequence, and says so: one at a time, and the newest last. */
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
    // A program that copies without end is not to keep what nobody will see.
    next = data;
    if (!isBusy) void takeAll();
  };
}

async function takeClipboard(data: string, { hub, actions, notes }: ClipboardParts): Promise<void> {
  const wish = parseClipboardWrite(data);
  if (wish.kind === "nothing") return;
  if (wish.kind === "refused") return notes.say(wish.message);
  const action = actions.find(({ name }) => name === "clipboard_write");
  if (!action) return notes.say("A program wanted to copy something, and this page lets none.");
  const { text } = wish;
  const much = text.length === 1 ? "1 character" : `${text.length} characters`;
  try {
    await copyBy(action, hub, text);
    notes.say(`Copied to the clipboard: ${much}.`);
  } catch (error) {
    // A click is what browsers want to see first.
    const button = makeButton("Copy", () => {
      void copyText(text, hub).then((isCopied) => isCopied || notes.say("The browser does not let this page copy."));
    });
    notes.offer(`A program wants to copy ${much}. ${messageOf(error)}`, button);
  }
}
