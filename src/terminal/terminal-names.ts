import type { TerminalInfo } from "../hub/index.ts";
import { visibleText } from "../wire/index.ts";

/** A terminal's display name; the first free default name if it is empty. */
export function terminalName(wanted: string | undefined, others: readonly TerminalInfo[]): string {
  const name = visibleText(wanted ?? "")
    .replaceAll(/[\n\t]/g, "")
    .trim();
  if (name) return name;
  const taken = new Set(others.map((each) => each.name));
  let number = 1;
  while (taken.has(`Terminal ${number}`)) number++;
  return `Terminal ${number}`;
}

/** The max size of a list in a frame's header. */
const maxListed = 12_000;

/** As many as fit into a frame's header, always including the newest. */
export function listed(terminals: readonly TerminalInfo[]): readonly TerminalInfo[] {
  let room = maxListed;
  const oldestFirst = terminals.toSorted((one, other) => one.createdAt - other.createdAt);
  const first = oldestFirst.findLastIndex((each) => (room -= JSON.stringify(each).length + 1) < 0);
  return oldestFirst.slice(first + 1);
}
