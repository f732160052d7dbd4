import { PagewireError, messageOf } from "../../wire/index.ts";
import type { ErrorCode } from "../../wire/index.ts";
import { defineCommand, commonOptions, usageError } from "../command.ts";
import { createInterrupts, unlessAborted } from "../console/interrupts.ts";
import type { Io } from "../io.ts";
import { readAll } from "../read-arguments.ts";
import { copyByTerminal } from "../terminal-identity/copy-by-terminal.ts";
import { openDelegate } from "../terminal-identity/open-delegate.ts";

export const copyToClipboard = defineCommand({
  name: "copy-to-clipboard",
  summary: "Put text into the clipboard of whoever looks at this terminal.",
  usage: "[text]",
  positionals: { least: 0, most: 1 },
  options: commonOptions,
  notes: [
    "The text is the argument, or what comes in on stdin. The tab that shows the terminal is asked first; where none answers within five seconds, the terminal itself is, which may or may not do it (OSC 52). A refusal by whoever sits in front of the tab is final.",
  ],
  examples: [`pagewire copy-to-clipboard "$PWD"`, "git log -1 --format=%H | pagewire copy-to-clipboard"],
  async run({ io, printer, positionals: [given] }) {
    const { signal, stop } = createInterrupts(io);
    try {
      const text = given ?? (await unlessAborted(readAll(io.stdin), signal));
      if (text === "") throw usageError("There is nothing to copy. Write: npx pagewire copy-to-clipboard <text>");
      const by = await copy(io, text, signal);
      if (printer.json) printer.data({ copied: true, by });
      return 0;
    } finally {
      stop();
    }
  },
});

const TAB_TIME = 5000;

/** After these another way would go round somebody's word. */
const final: readonly ErrorCode[] = ["action-refused", "cancelled"];

async function copy(io: Io, text: string, signal: AbortSignal): Promise<"tab" | "terminal"> {
  try {
    const tab = await openDelegate(io);
    await tab.call("clipboard_write", { text }, { signal, timeout: TAB_TIME });
    return "tab";
  } catch (error) {
    if (!PagewireError.isInstance(error) || final.includes(error.code)) throw error;
    if (await copyByTerminal(io, text)) return "terminal";
    const message = `The text was not copied. ${messageOf(error)} And there is no terminal that could be asked instead.`;
    throw new PagewireError(error.code, message, { cause: error });
  }
}
