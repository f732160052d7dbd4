import { resolve } from "node:path";
import { defineCommand, hubOptions } from "../command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { examine } from "../doctor/examine.ts";
import type { Finding } from "../doctor/finding.ts";
import { oneLine } from "../console/plain-text.ts";
import type { Style } from "../console/printer.ts";
import { indent } from "../console/wrap.ts";

export const doctor = defineCommand({
  name: "doctor",
  summary: "Find out what is wrong, and what to do.",
  usage: "",
  positionals: { least: 0, most: 0 },
  options: {
    project: { type: "string", value: "DIR", summary: "Whose clients to look at too; else the current folder's." },
    ...hubOptions,
  },
  notes: [
    "It mends nothing by itself. It exits with 0 if all is well, with 3 if there is no hub, with 4 if the hub refuses the token, else with 1.",
  ],
  examples: ["pagewire doctor", "pagewire doctor --json"],
  async run({ io, printer, values }) {
    const findings = await examine(values.hub, io, resolve(values.project ?? "."));
    const width = io.stdout.columns || Infinity;
    if (printer.json) printer.data({ findings });
    else for (const line of findings.flatMap((finding) => render(finding, printer.out, width))) printer.line(line);
    return exitCodeOf(findings);
  },
});

function exitCodeOf(findings: readonly Finding[]): ExitCode {
  return findings.find(({ state }) => state === "problem")?.exitCode ?? 0;
}

function render({ state, message, advice = [] }: Finding, style: Style, width: number): readonly string[] {
  const marks = {
    well: style.green("ok  "),
    hint: style.cyan("hint"),
    warning: style.yellow("warn"),
    problem: style.red("fix "),
  };
  return [
    ...after(marks[state], indent(oneLine(message), 5, width)),
    ...advice.flatMap((line) => after(`     ${style.dim("->")}`, indent(oneLine(line), 8, width))),
  ];
}

/** Puts a mark into the space before the first line. */
function after(mark: string, [first = "", ...more]: readonly string[]): readonly string[] {
  return [`${mark} ${first.trimStart()}`, ...more];
}
