import { Dot, durationText } from "../../../common/src/ui/index.ts";
import type { Column } from "../../../common/src/ui/index.ts";
import type { CallRow } from "./call-row.ts";
import { exactClockText, shown, toneOf } from "./words.ts";

/** The list's columns. A narrow screen has room for when, how and which. */
export const callColumns: readonly Column<CallRow>[] = [
  {
    title: "Time",
    width: "minmax(84px, 0.9fr)",
    cell: ({ at }) => (
      <span class="call-when" title={new Date(at).toLocaleString()}>
        {exactClockText(at)}
      </span>
    ),
  },
  {
    title: "Outcome",
    width: "minmax(0, 1fr)",
    cell: ({ outcome, code }) => (
      <span class="call-end" title={code ?? outcome}>
        <Dot tone={toneOf(outcome)} />
        <span>{outcome === undefined ? "running" : shown(outcome)}</span>
      </span>
    ),
  },
  { title: "Tool", width: "minmax(0, 2fr)", cell: ({ name }) => <span title={shown(name)}>{shown(name)}</span> },
  {
    title: "Took",
    width: "72px",
    isNumber: true,
    hideBelow: 480,
    cell: ({ milliseconds }) => (milliseconds === undefined ? "" : durationText(milliseconds)),
  },
  { title: "Agent", width: "minmax(0, 1.2fr)", hideBelow: 620, cell: ({ agent }) => shown(agent) },
  { title: "App", width: "minmax(0, 1fr)", hideBelow: 760, cell: ({ app }) => shown(app) },
  { title: "Tab", width: "minmax(0, 1fr)", hideBelow: 900, cell: ({ tab }) => <code>{shown(tab)}</code> },
  { title: "Door", width: "72px", hideBelow: 1040, cell: ({ door }) => door },
];
