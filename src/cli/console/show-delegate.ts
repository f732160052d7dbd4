import { DelegateError } from "../../hub-client/index.ts";
import type { CallProgress, DelegateResult } from "../../hub-client/index.ts";
import { defaultLimits } from "../../wire/index.ts";
import { exitCodeOfError, exitCodeOfOutcome } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { jsonText, plainText } from "./plain-text.ts";
import type { Printer } from "./printer.ts";
import { renderContent } from "./render-content.ts";
import { createProgressDisplay } from "./show-progress.ts";

/** Writes an action's answer: what it gives to stdout, everything else to stderr. */
export interface DelegateDisplay {
  chunk(delta: string): void;
  progress(progress: CallProgress): void;
  done(result: DelegateResult): ExitCode;
  failed(error: unknown): ExitCode;
}

export function createDelegateDisplay(
  io: Pick<Io, "stdout" | "stderr" | "environment">,
  printer: Printer,
): DelegateDisplay {
  const { stdout } = io;
  const bar = createProgressDisplay(io);
  /** What came in pieces, for as long as a result could still be the same: none is longer than a frame. */
  let written = "";
  /** The end of the last piece, where the next may begin with the rest of it. */
  let half = "";
  let isLineOpen = false;

  function write(text: string): void {
    if (text === "") return;
    stdout.write(plainText(text));
    isLineOpen = !text.endsWith("\n");
  }

  function endChunks(): void {
    bar.clear();
    write(half);
    if (isLineOpen) printer.line();
  }

  return {
    chunk(delta) {
      if (printer.json) return printer.data({ chunk: delta });
      bar.clear();
      const text = half + delta;
      half = unfinished.exec(text)?.[0] ?? "";
      write(text.slice(0, text.length - half.length));
      if (written.length <= defaultLimits.frameBytes) written += delta;
    },
    progress(progress) {
      if (printer.json) printer.data({ progress });
      // On a terminal the bar would take the place of a piece that ends in the middle of a line.
      else if (!(isLineOpen && stdout.isTTY === true)) bar.show(progress);
    },
    done(result) {
      endChunks();
      if (printer.json) printer.data({ outcome: "ok", ...result });
      else if (result.text !== written || written === "") {
        const texts = render(result);
        for (const text of texts) printer.line(plainText(text));
        if (texts.length === 0) printer.note(printer.err.dim("Done. The action answered with nothing."));
      }
      return 0;
    },
    failed(error) {
      endChunks();
      if (!(error instanceof DelegateError)) throw error;
      const { outcome, ran, code, message } = error;
      if (printer.json) printer.data({ outcome, ran, code, message });
      else printer.note(`${printer.err.red("Failed:")} ${plainText(message)}`);
      return outcome === undefined ? exitCodeOfError(error) : exitCodeOfOutcome({ outcome, ran, code });
    },
  };
}

/** Half a character or line end, or an emoji that the next piece may go on with. */
const unfinished = /(?:[\ud800-\udbff\r]|(?:\p{Extended_Pictographic}(?:\u200d|\ufe0f|\p{Emoji_Modifier})*)+)$/u;

function render({ text, fields, content }: DelegateResult): readonly string[] {
  if (fields !== undefined) return [jsonText(fields, 2)];
  if (content !== undefined) return renderContent({ content });
  return text === "" ? [] : [text];
}
