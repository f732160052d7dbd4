import { defineCommand, hubOptions } from "../command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { examine } from "../doctor/examine.ts";
import type { Finding } from "../doctor/finding.ts";
import { plainText } from "../terminal/plain-text.ts";
import type { Style } from "../terminal/printer.ts";

export const doctor = defineCommand({
  name: "doctor",
  summary: "Find out what is wrong, and what to do.",
  usage: "",
  positionals: { least: 0, most: 0 },
  options: hubOptions,
  notes: [
    "It mends nothing by itself. It exits with 0 if all is well, with 3 if there is no hub, with 4 if the hub refuses the token, else with 1.",
  ],
  examples: ["pagewire doctor", "pagewire doctor --json"],
  async run({ io, printer, values }) {
    const findings = await examine(values.hub, io);
    if (printer.json) printer.data({ findings });
    else for (const finding of findings) for (const line of render(finding, printer.out)) printer.line(line);
    return exitCodeOf(findings);
  },
});

function exitCodeOf(findings: readonly Finding[]): ExitCode {
  return findings.find(({ state }) => state === "problem")?.exitCode ?? 0;
}

function render({ state, message, advice }: Finding, style: Style): readonly string[] {
  const marks = { well: style.green("ok  "), hint: style.cyan("hint"), problem: style.red("fix ") };
  const next = (advice ?? []).map((line) => `     ${style.dim("->")} ${plainText(line)}`);
  return [`${marks[state]} ${plainText(message)}`, ...next];
}
