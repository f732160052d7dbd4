// A schema without its reference and, where they are not taken, its `allOf`.
import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { countMerge, most, noteChange } from "./fitting.ts";
import type { Fitting, Lost, Part } from "./fitting.ts";
import { mergeBoth } from "./merge-schemas.ts";

export interface Plain {
  readonly schema: JsonObject;
  /** The references that it was found by. */
  readonly open: readonly string[];
  readonly lost: Lost;
}

/** Replaces a reference, and `allOf` where it is not taken. */
export function resolve(given: JsonObject, part: Part, fitting: Fitting): Plain {
  const { place, open, isForeign, isTop } = part;
  const lost: Lost = [];
  const onLost = (keyword: string, value: Json) => {
    noteChange(fitting, { what: keyword, place, became: "words" });
    lost.push([keyword, value]);
  };
  let schema = given;
  let opened = open;
  while (typeof schema["$ref"] === "string") {
    const { $ref, ...rest } = schema;
    const target = isForeign || !countMerge(fitting, $ref) ? undefined : targetOf($ref, fitting.root);
    const beside = fitting.isOld ? pick(rest, ["title", "description"]) : rest;
    if (!isTop && isKept($ref, target, fitting)) {
      fitting.keepsReferences = true;
      return { schema: { ...beside, $ref }, open: opened, lost };
    }
    if (target === undefined || target === false || !countMerge(fitting, beside, target)) {
      onLost("$ref", $ref);
      schema = beside;
    } else if (opened.includes($ref) || opened.length > most.references) {
      noteChange(fitting, { what: `$ref ${$ref}`, place, became: "cut, since it would never end" });
      const said = typeof beside["description"] === "string" ? `${beside["description"]} ` : "";
      schema = { ...beside, description: `${said}Again ${$ref.split("/").at(-1) || "the whole"}.` };
    } else {
      noteChange(fitting, { what: `$ref`, place, became: "what it refers to" });
      opened = [...opened, $ref];
      schema = mergeBoth(beside, isJsonObject(target) ? target : {}, onLost);
    }
  }
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf) || !(isTop || fitting.rule.keywords)) return { schema, open: opened, lost };
  noteChange(fitting, { what: "allOf", place, became: "one schema" });
  schema = rest;
  for (const each of allOf as readonly Json[]) {
    if (fitting.left.merges < 0 || !isJsonObject(each)) continue;
    // Only as deep as references are: an allOf in an allOf counts as one.
    if (opened.length > most.references) break;
    const inner = resolve(each, { ...part, open: [...opened, "allOf"] }, fitting);
    lost.push(...inner.lost);
    if (!countMerge(fitting, schema, inner.schema)) continue;
    schema = mergeBoth(schema, inner.schema, onLost);
    opened = [...new Set([...opened, ...inner.open])];
  }
  return { schema, open: opened, lost };
}

function pick(schema: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => names.includes(name)));
}

/** Vendors that know references get those to definitions; the rest of the schema may move. */
function isKept($ref: string, target: Json | undefined, { rule }: Fitting): boolean {
  return !rule.keywords && isJsonObject(target) && /^#\/(\$defs|definitions)\/[^/]+$/.test($ref);
}

function targetOf($ref: string, root: JsonObject): Json | undefined {
  if (!/^#(\/|$)/.test($ref) || $ref.length > 1000) return undefined;
  let found: Json | undefined = root;
  for (const step of $ref.split("/").slice(1)) {
    const name = unescaped(step);
    const within: unknown = found;
    if (typeof within !== "object" || within === null || !Object.hasOwn(within, name)) return undefined;
    found = (within as Readonly<Record<string, Json>>)[name];
  }
  return isJsonObject(found) || typeof found === "boolean" ? found : undefined;
}

function unescaped(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return step;
  }
}
