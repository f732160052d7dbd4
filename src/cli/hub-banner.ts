import type { Printer } from "./terminal/printer.ts";
import { table } from "./terminal/table.ts";
import { version } from "./version.ts";

/** Says where the hub is and what to do with it. */
export function printBanner(url: string, printer: Printer, now: Date): void {
  const demo = `${url}/demo/`;
  const script = `<script src="${url}/pagewire.js" data-app="my-app"></script>`;
  if (printer.json) {
    const about = { url, demo, script: `${url}/pagewire.js`, pid: process.pid, version };
    return printer.data({ time: now.toISOString(), level: "info", event: "hub-listening", ...about });
  }
  const { bold, green, dim } = printer.out;
  const rows = [
    ["Try it", demo],
    ["In a page", script],
    ["For agents", "pagewire tools"],
    ["", "pagewire call <tool> [json]"],
    ["Other origins", "pagewire allow http://localhost:5173"],
  ];
  printer.line(`${bold(green("Pagewire"))} ${dim(version)} listens on ${bold(url)}`);
  printer.line();
  for (const line of table(rows)) printer.line(`  ${line}`);
  printer.line();
  printer.line(dim("Ctrl-C stops it. More: pagewire help"));
}
