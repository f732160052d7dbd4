import type { Pty } from "../pty/start-pty.ts";

/** As much as nobody types at once; and as little as fits the buffers of any system. */
const longest = 1024;

/**
 * A pseudo terminal whose long inputs go another way. tmux reads keys, and takes the half of a character whose rest does
 * not follow within a moment for a key of its own: of a long paste, some would be lost. It would also take what looks
 * like its own keys for commands.
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
