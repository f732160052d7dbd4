/** The longest text that a program may put into the clipboard, in bytes. */
const longestCopy = 1024 * 1024;

/** What a program asks of the clipboard with OSC 52. */
export type ClipboardWish =
  | { readonly kind: "write"; readonly text: string }
  /** Terminals that copy a selection do so with an empty one, too. */
  | { readonly kind: "nothing" }
  | { readonly kind: "refused"; readonly message: string };

/** Reads the data of an OSC 52 sequence. Programs may write to the clipboard, and never read it. */
export function parseClipboardWrite(data: string): ClipboardWish {
  const [target = "", encoded = ""] = data.split(";", 2);
  if (!/^[cpqs0-7]*$/.test(target) || !data.includes(";")) return refused("something that cannot be understood");
  if (encoded === "?") return { kind: "refused", message: "A program wanted to read the clipboard, and may not." };
  if (encoded === "") return { kind: "nothing" };
  if (encoded.length > Math.ceil(longestCopy / 3) * 4) return refused("more than 1 MB");
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return { kind: "write", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return refused("something that is no text");
  }
}

function refused(what: string): ClipboardWish {
  return { kind: "refused", message: `A program wanted to put ${what} into the clipboard, and may not.` };
}
