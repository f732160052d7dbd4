// TOML by its statements: what each one says and where it stands. Numbers and dates are kept as they are written.
import type { Json, JsonObject } from "../../../wire/index.ts";
import { createScanner } from "./scanner.ts";
import type { Scanner } from "./scanner.ts";
import { takeTomlKey, takeTomlValue, takeSpace } from "./toml-values.ts";

/** One header or one assignment, with the lines it takes. */
export interface TomlStatement {
  readonly kind: "table" | "array" | "value";
  /** The whole path: of a value, the table's and its own. */
  readonly path: readonly string[];
  readonly value?: Json;
  /** Where its first line starts, and where the line after its last one does. */
  readonly start: number;
  readonly end: number;
}

/** Reads TOML. Throws a ConfigSyntaxError that says where it is none. */
export function parseToml(text: string): readonly TomlStatement[] {
  const scanner = createScanner(text);
  const statements: TomlStatement[] = [];
  const names = createNames();
  let table: readonly string[] = [];
  scanner.skip("\u{feff}");
  for (;;) {
    const start = scanner.at;
    takeSpace(scanner);
    if (endsLine(scanner)) {
      if (scanner.at >= text.length) return statements;
      continue;
    }
    const statement = readStatement(scanner, table);
    if (!names.add(statement)) scanner.fail(`${statement.path.join(".")} is defined twice`);
    if (statement.kind !== "value") table = statement.path;
    takeSpace(scanner);
    if (!endsLine(scanner)) scanner.fail("the line should end here");
    statements.push({ ...statement, start, end: scanner.at });
  }
}

/** What the file means, as one object. */
export function tomlObject(statements: readonly TomlStatement[]): JsonObject {
  const root: Tree = new Map();
  for (const { kind, path, value } of statements) {
    const parent = treeAt(root, kind === "value" ? path.slice(0, -1) : path);
    if (kind === "value") parent?.set(path.at(-1) ?? "", value ?? null);
  }
  return plain(root);
}

type Tree = Map<string, Tree | Json>;

/** The table at this path, made where there is none; undefined where a value stands in the way. */
function treeAt(root: Tree, path: readonly string[]): Tree | undefined {
  let tree = root;
  for (const name of path) {
    const next = tree.get(name) ?? new Map<string, Tree | Json>();
    if (!(next instanceof Map)) return undefined;
    tree.set(name, next);
    tree = next;
  }
  return tree;
}

function plain(tree: Tree): JsonObject {
  return Object.fromEntries([...tree].map(([name, value]) => [name, value instanceof Map ? plain(value) : value]));
}

type Unplaced = Omit<TomlStatement, "start" | "end">;

function readStatement(scanner: Scanner, table: readonly string[]): Unplaced {
  if (scanner.skip("[[")) return { kind: "array", path: readHeader(scanner, "]]") };
  if (scanner.skip("[")) return { kind: "table", path: readHeader(scanner, "]") };
  const path = [...table, ...takeTomlKey(scanner)];
  if (!scanner.skip("=")) scanner.fail("an equals sign is missing");
  takeSpace(scanner);
  return { kind: "value", path, value: takeTomlValue(scanner) };
}

function readHeader(scanner: Scanner, close: string): readonly string[] {
  takeSpace(scanner);
  const path = takeTomlKey(scanner);
  if (!scanner.skip(close)) scanner.fail(`${close} is missing`);
  return path;
}

function endsLine(scanner: Scanner): boolean {
  scanner.take(/#[^\n]*/y);
  return scanner.take(/\r?\n|$/y) !== undefined;
}

/** Notices what is defined twice. Below an array of tables every element starts anew. */
function createNames() {
  const seen = new Set<string>();
  const arrays = new Map<string, number>();

  return {
    add({ kind, path }: Unplaced): boolean {
      const id = path.map((_, index) => {
        const part = JSON.stringify(path.slice(0, index + 1));
        return `${part}#${arrays.get(part) ?? 0}`;
      });
      const own = JSON.stringify(path);
      if (kind === "array") {
        arrays.set(own, (arrays.get(own) ?? 0) + 1);
        return true;
      }
      const key = id.join("/");
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    },
  };
}
