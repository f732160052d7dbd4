// Checks a value against a schema, by the validator that pages use too, loaded when it is first needed.
import { useEffect, useState } from "preact/hooks";
import { loadJsonSchemaValidator } from "pagewire/toolbox";
import { messageOf } from "pagewire/wire";
import type { JsonObject } from "pagewire/wire";
import { withoutPatterns } from "./schema.ts";

export interface Verdict {
  /** Messages by the JSON pointer of the part that they are about; "" is the whole value. */
  readonly problems: ReadonlyMap<string, string>;
  /** The problems with missing values. */
  readonly missing: ReadonlySet<string>;
  /** Why the schema itself cannot be used. */
  readonly schemaProblem?: string;
}

const fine: Verdict = { problems: new Map(), missing: new Set() };

export async function validate(schema: JsonObject, value: unknown): Promise<Verdict> {
  try {
    const validator = await loadJsonSchemaValidator();
    const problems = new Map<string, string>();
    const missing = new Set<string>();
    for (const { path, message, keyword } of validator(withoutPatternsOf(schema), value)) {
      const pointer = path === "/" ? "" : path;
      if (!problems.has(pointer)) problems.set(pointer, message);
      if (keyword === "required") missing.add(pointer);
    }
    return { problems, missing };
  } catch (error) {
    return { ...fine, schemaProblem: messageOf(error) };
  }
}

const known = new WeakMap<JsonObject, JsonObject>();

/** The validator keeps what it made of a schema, by the object. */
function withoutPatternsOf(schema: JsonObject): JsonObject {
  const made = known.get(schema) ?? (withoutPatterns(schema) as JsonObject);
  known.set(schema, made);
  return made;
}

/** The verdict of a value that is being typed, a moment after each change. */
export function useVerdict(schema: JsonObject, value: unknown): Verdict {
  const [verdict, setVerdict] = useState(fine);
  useEffect(() => {
    let isWanted = true;
    const timer = setTimeout(() => {
      void validate(schema, value).then((found) => isWanted && setVerdict(found));
    }, 120);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [schema, value]);
  return verdict;
}
