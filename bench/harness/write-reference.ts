import { writeFileSync } from "node:fs";
import type { Results, Run } from "./write-results.ts";
import type { RowFamily } from "./row.ts";
import { cellsOf, markdownTable } from "./table.ts";

const method = `The bench writes this page: \`npm run bench\`. Its rows are in \`bench/results.json\`.

Every server and every page is a process of its own. Contestants take turns, A B C A B C, so that whatever else the machine
does falls on all of them alike; a figure is the median over the rounds, and a ratio is the median of each round's
Pagewire over floor. Beside it stands where the mean of these ratios is with 95 % confidence (Student's t, of logarithms); a
contest ends after three rounds or more when that reaches no further than 4 % from its middle, or 10 % where it is clear of
the bar, and after as many rounds as the text beneath it says at the latest. Client and servers share the machine's cores,
so calls per second are those of the whole system. Latency depends on how fast the machine wakes a core; CPU per call is the steadier figure, and most bars are set on it.
A bar is the most that the ratio may be; where there is no ratio, the most that Pagewire's own figure may be.`;

/** Writes docs/reference/performance.md. */
export function writeReference(path: string, results: Results, families: readonly RowFamily[]): void {
  const { runs, rows } = results;
  const common = commonOf(Object.values(runs).map(settingOf));
  const barred = rows.filter(({ met }) => met !== null);
  const missed = barred.filter(({ met }) => met === false);
  const sections = families
    .filter(({ row }) => row in runs)
    .map(({ row, title, about }) => {
      const cells = cellsOf(rows.filter((one) => one.row === row));
      return `## ${title}\n\n${about}\n\n${markdownTable(cells)}\n\n${runText(runs[row], common)}`;
    });
  const summary =
    missed.length === 0
      ? `All ${barred.length} bars are met.`
      : `${barred.length - missed.length} of ${barred.length} bars are met. Missed: ${missed
          .map(
            ({ row, size, metric, pagewire, ratio, bar }) =>
              `${row}, ${size}, ${metric}: ${ratio ?? pagewire} instead of ${bar}`,
          )
          .join("; ")}.`;
  const setting = `Measured with ${settingText(common)}.`;
  writeFileSync(path, `${["# Performance", method, summary, setting, ...sections].join("\n\n")}\n`);
}

/** The machine and the versions of a run. */
type Setting = Readonly<Record<string, string>>;

function settingOf({ machine: { cpu, cores, memory, system }, versions }: Run): Setting {
  return { machine: `${cpu}, ${cores} cores, ${memory}, ${system}`, ...versions };
}

/** The settings that all runs share. */
function commonOf([first = {}, ...others]: readonly Setting[]): Setting {
  return Object.fromEntries(
    Object.entries(first).filter(([name, value]) => others.every((setting) => setting[name] === value)),
  );
}

function settingText(setting: Setting): string {
  return Object.entries(setting)
    .map(([name, value]) => (name === "machine" ? `machine: ${value}` : `${name} ${value}`))
    .join("; ");
}

function runText(run: Run | undefined, common: Setting): string {
  if (!run) return "";
  const own = Object.fromEntries(Object.entries(settingOf(run)).filter(([name]) => !(name in common)));
  const load = `load average ${run.loadBefore} before, ${run.loadAfter} after`;
  const text = `Measured on ${run.date.slice(0, 10)}${run.seconds === undefined ? "" : ` in ${run.seconds} s`}, at most ${run.rounds} rounds; ${load}`;
  return Object.keys(own).length === 0 ? `${text}.` : `${text}; with ${settingText(own)}.`;
}
