import type { Pty } from "../pty/start-pty.ts";

/** More than anyone types at once, and little enough for every system's buffers. */
const longest = 1024;

/**
 * A pseudo terminal that pastes long input into tmux. tmux parses keys, and treats the first half of a character as a
 * key if the rest does not follow quickly: it would lose parts of a long paste. It would also run text that looks like
 * its own keys as commands.
 */
export function pasteLong(pty: Pty, paste: (text: string) => Promise<void>): Pty {
  let pasting: Promise<void> | undefined;
  let waitingBytes = 0;

  async function next(before: Promise<void> | undefined, text: string): Promise<void> {
    await before;
    if (text.length <= longest) pty.write(text);
    else await paste(text).catch(() => pty.write(text));
    waitingBytes -= text.length;
  }

  return {
    ...pty,
    get waitingBytes() {
      return pty.waitingBytes + waitingBytes;
    },
    write(text) {
      if (!pasting && text.length <= longest) return pty.write(text);
      waitingBytes += text.length;
      const mine = next(pasting, text).finally(() => {
        if (pasting === mine) pasting = undefined;
      });
      pasting = mine;
    },
  };
}
