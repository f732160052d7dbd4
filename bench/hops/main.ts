// `npm run hops`.
import { parseArgs } from "node:util";
import { textTable } from "../harness/table.ts";
import { journeys } from "./journeys.ts";
import { measureHops } from "./measure-hops.ts";
import type { Hops } from "./measure-hops.ts";
import { countsOf } from "./touched.ts";

const help = `npm run hops [-- <options>]

Counts the source files and the functions of Pagewire's own code that one warm call touches, in the hub and in a page in
Chromium, by V8's precise coverage. What lies in node_modules and in Node itself is not counted.

  --list <side>:<journey>   the files and functions of one journey, such as hub:mcp-2026 or page:api
  --only <journeys>         these alone, such as api,delegate
  --json                    all counts, files and functions, as JSON
  --help

Journeys:
${journeys.map(({ id, name }) => `  ${id.padEnd(10)} ${name}`).join("\n")}`;

const options = {
  list: { type: "string" },
  only: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** Runs the command. */
export async function runHops(args: readonly string[], chromium: string | undefined): Promise<void> {
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) return console.log(help);
  const [side, listed] = values.list?.split(":") ?? [];
  const wanted = listed === undefined ? values.only?.split(",") : [listed];
  const unknown = wanted?.filter((id) => journeys.every((journey) => journey.id !== id)) ?? [];
  if (unknown.length > 0 || (side !== undefined && side !== "hub" && side !== "page")) {
    console.error(`There is no "${values.list ?? unknown.join(", ")}".\n\n${help}`);
    process.exitCode = 2;
    return;
  }
  const measured = await measureHops(
    journeys.filter(({ id }) => wanted === undefined || wanted.includes(id)),
    chromium,
  );
  if (values.json) console.log(JSON.stringify(measured.map(asJson), null, 2));
  else if (side === "hub" || side === "page") for (const hops of measured) console.log(listOf(hops[side]));
  else console.log(textTable(tableOf(measured)));
}

/** What `--json` prints. */
export type HopsReport = readonly ReturnType<typeof asJson>[];

function asJson({ journey: { id, name }, hub, page }: Hops) {
  return { id, name, hub: { ...countsOf(hub), touched: hub }, page: { ...countsOf(page), touched: page } };
}

function listOf(files: Hops["hub"]): string {
  const { files: fileCount, functions, invocations } = countsOf(files);
  const blocks = files.map(({ path, functions: ran }) => {
    const lines = ran.map(
      ({ name, line, invocations: times }) => `  ${name || "(anonymous)"}:${line}${times > 1 ? ` ×${times}` : ""}`,
    );
    return [`${path}  ${ran.length}`, ...lines].join("\n");
  });
  return [...blocks, `\n${fileCount} files, ${functions} functions, ${invocations} invocations`].join("\n");
}

function tableOf(measured: readonly Hops[]): readonly (readonly string[])[] {
  const withBar = (count: number, bar: number | undefined) => (bar === undefined ? `${count}` : `${count} (≤ ${bar})`);
  return [
    ["journey", "", "hub files", "hub functions", "invocations", "page files", "page functions", "invocations"],
    ...measured.map(({ journey: { id, name, bars }, hub, page }) => {
      const [ofHub, ofPage] = [countsOf(hub), countsOf(page)];
      return [
        id,
        name,
        withBar(ofHub.files, bars.hubFiles),
        withBar(ofHub.functions, bars.hubFunctions),
        `${ofHub.invocations}`,
        `${ofPage.files}`,
        withBar(ofPage.functions, bars.pageFunctions),
        `${ofPage.invocations}`,
      ];
    }),
  ];
}
