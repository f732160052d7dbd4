import type { IBufferRange, Terminal } from "@xterm/xterm";

/** The text that stands in a terminal for a link. */
export function linkText(terminal: Terminal, { start, end }: IBufferRange): string {
  let text = "";
  for (let y = start.y; y <= end.y; y++) {
    const line = terminal.buffer.active.getLine(y - 1);
    text += line?.translateToString(true, y === start.y ? start.x - 1 : 0, y === end.y ? end.x : terminal.cols) ?? "";
  }
  return text;
}
