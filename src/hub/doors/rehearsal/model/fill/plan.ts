import { isJsonObject } from "../../../../../wire/index.ts";
import type { JsonObject } from "../../../../../wire/index.ts";
import { branchesOf, namesIn, resolveSchema, typesOf, valuesOf } from "../schema/resolve-schema.ts";
import { createSlot } from "./slot.ts";
import type { Slot, SlotPlace } from "./slot.ts";

/** What an object is made of, down to the places that single values go to. */
export type Plan =
  | { readonly kind: "slot"; readonly required: boolean; readonly slot: Slot }
  | { readonly kind: "list"; readonly required: boolean; readonly slot: Slot; readonly item: Plan }
  | {
      readonly kind: "object";
      readonly required: boolean;
      readonly schema: JsonObject;
      readonly parts: ReadonlyMap<string, Plan>;
    };

/** How deep objects in objects are filled from a sentence. */
const deepest = 6;

export function planOf(given: JsonObject, place: SlotPlace): Plan {
  const { path, required, sampling } = place;
  const branches = branchesOf(sampling.root, given);
  const slot = (): Plan => ({ kind: "slot", required, slot: createSlot(given, place) });
  const schema = path.length < deepest ? branches.find((branch) => isObject(branch) && !valuesOf(branch)) : undefined;
  if (schema) {
    const parts = new Map<string, Plan>();
    const names = namesIn(schema["required"]);
    for (const [name, part] of Object.entries(isJsonObject(schema["properties"]) ? schema["properties"] : {})) {
      const resolved = resolveSchema(sampling.root, part);
      const isRequired = names.includes(name);
      if (resolved) parts.set(name, planOf(resolved, { ...place, path: [...path, name], required: isRequired }));
    }
    return { kind: "object", required, schema, parts };
  }
  const [list] = branches.filter((branch) => typesOf(branch).length === 1 && typesOf(branch)[0] === "array");
  const items =
    list && list["items"] !== undefined && !("prefixItems" in list)
      ? resolveSchema(sampling.root, list["items"])
      : undefined;
  if (!items || path.length >= deepest || !branchesOf(sampling.root, items).some(isObject)) return slot();
  const item = planOf(items, { ...place, path: [...path, 0], required: true });
  return { kind: "list", required, slot: createSlot(given, place), item };
}

function isObject(schema: JsonObject): boolean {
  const types = typesOf(schema);
  return types.includes("object") && types.length < 6;
}

/** All places for single values. */
export function slotsIn(plan: Plan): readonly Slot[] {
  if (plan.kind === "slot") return [plan.slot];
  if (plan.kind === "list") return slotsIn(plan.item);
  return [...plan.parts.values()].flatMap(slotsIn);
}
