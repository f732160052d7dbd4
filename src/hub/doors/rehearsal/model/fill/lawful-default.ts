import type { Json, JsonObject } from "../../../../../wire/index.ts";
import { branchesOf, valuesOf } from "../schema/resolve-schema.ts";
import { sample, satisfies } from "../schema/sample.ts";
import type { Sampling } from "../schema/sample.ts";

/** A value that a schema itself names: its default, nothing, the first that it lists, or the least that it allows. */
export function lawfulDefault(schema: JsonObject, sampling: Sampling): Json | undefined {
  const branches = branchesOf(sampling.root, schema);
  const named: Json[] = branches.flatMap((branch) => ("default" in branch ? [branch["default"] ?? null] : []));
  const listed = branches.flatMap((branch) => valuesOf(branch) ?? []);
  const least = branches.filter((branch) => "minimum" in branch || "exclusiveMinimum" in branch);
  const found = [...named, null, ...listed].find(
    (value) => satisfies(value, schema, sampling) && isMeant(value, branches),
  );
  if (found !== undefined) return found;
  return least.length === 0 ? undefined : sample(schema, sampling);
}

/** A schema that allows everything does not name nothing. */
function isMeant(value: Json, branches: readonly JsonObject[]): boolean {
  if (value !== null) return true;
  return branches.some(({ type, nullable, ...branch }) => {
    const types = Array.isArray(type) ? (type as readonly Json[]) : [type];
    return (
      nullable === true ||
      types.includes("null") ||
      valuesOf(branch)?.includes(null) === true ||
      branch["default"] === null
    );
  });
}
