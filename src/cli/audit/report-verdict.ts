import type { Printer } from "../console/printer.ts";
import { oneLine } from "../console/plain-text.ts";
import type { ExitCode } from "../exit-codes.ts";
import type { Verdict } from "./verify.ts";

/** Says what came of looking at a chain; the exit code says whether it is whole. */
export function reportVerdict(verdict: Verdict, printer: Printer): ExitCode {
  const { records, days, hubs, problems } = verdict;
  const code = problems.length > 0 ? 1 : 0;
  if (printer.json) {
    printer.data({ records, days, hubs, isWhole: code === 0, problems });
    return code;
  }
  const of = `${counted(records, "record")} of ${counted(days, "day")}${hubs > 1 ? ` and ${hubs} hubs` : ""}`;
  printer.line(code === 0 ? `${of}: the chain is whole.` : `${of}: the chain is not whole.`);
  for (const problem of problems) printer.line(sentenceOf(problem));
  return code;
}

function sentenceOf(problem: Verdict["problems"][number]): string {
  if (problem.problem === "no-end")
    return "The file has no end line: its end was cut off, or it was written with --follow or --limit, or with some records chosen.";
  const { day, sequence, hub } = problem;
  const place = `Day ${oneLine(day, 10)}, record ${sequence} (hub ${oneLine(hub, 64)})`;
  switch (problem.problem) {
    case "changed":
      return `${place} was changed after it was written.`;
    case "missing-before":
      return `${place} does not follow the one before it: what was between them was removed, or put elsewhere.`;
    case "missing-after":
      return `${place} is the last one here, and was not the last: the end was cut off.`;
  }
}

function counted(count: number, thing: string): string {
  return `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
}
