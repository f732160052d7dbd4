// Turns V8's coverage into the functions of Pagewire's own code that ran.
import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

/** One script of a coverage, in Node as in a page. */
export interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    /** The first range is the whole function. */
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

export interface TouchedFunction {
  readonly name: string;
  /** In the source. */
  readonly line: number;
  readonly invocations: number;
}

export interface TouchedFile {
  /** In the repository, such as `src/hub/create-hub.ts`. */
  readonly path: string;
  readonly functions: readonly TouchedFunction[];
}

/** The URL of the package's `dist/` in this process, with a trailing slash. */
export function distFolder(): string {
  return new URL("../", import.meta.resolve("pagewire/hub")).href;
}

/** The code that ran, by file. Scripts outside of `base`, where the package's `dist/` is served, are not ours. */
export function touchedIn(
  scripts: readonly ScriptCoverage[],
  base: string,
  linesOf = linesOfSource,
): readonly TouchedFile[] {
  return scripts
    .filter(({ url }) => url.startsWith(base))
    .map(({ url, functions }) => {
      const path = url.slice(base.length);
      const lineOf = linesOf(path);
      const ran = functions.flatMap(({ functionName: name, ranges: [whole] }) =>
        whole === undefined || whole.count === 0
          ? []
          : [{ name, line: lineOf(whole.startOffset), invocations: whole.count }],
      );
      return {
        path: `src/${path.replace(/\.js$/, ".ts")}`,
        functions: ran.toSorted((one, other) => one.line - other.line),
      };
    })
    .filter(({ functions }) => functions.length > 0)
    .toSorted((one, other) => one.path.localeCompare(other.path));
}

/** How many there are. */
export function countsOf(files: readonly TouchedFile[]) {
  const functions = files.flatMap((file) => file.functions);
  return {
    files: files.length,
    functions: functions.length,
    invocations: functions.reduce((sum, { invocations }) => sum + invocations, 0),
  };
}

/** Finds the line in the source of an offset in the compiled file. */
function linesOfSource(path: string): (offset: number) => number {
  const file = fileURLToPath(new URL(path, distFolder()));
  const text = readFileSync(file, "utf8");
  if (!existsSync(`${file}.map`)) return (offset) => lineAndColumn(text, offset).line + 1;
  const map = new SourceMap(
    JSON.parse(readFileSync(`${file}.map`, "utf8")) as ConstructorParameters<typeof SourceMap>[0],
  );
  return (offset) => {
    const { line, column } = lineAndColumn(text, offset);
    const entry = map.findEntry(line, column);
    return ("originalLine" in entry ? entry.originalLine : line) + 1;
  };
}

function lineAndColumn(text: string, offset: number) {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length - 1, column: before.at(-1)?.length ?? 0 };
}
