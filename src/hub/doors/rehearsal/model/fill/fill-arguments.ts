// Fills the arguments of a tool, or an answer with a schema, from a sentence. What it gives satisfies the schema; what
// the sentence does not say is asked for, unless the schema says what else is lawful.
import { isJsonObject } from "../../../../../wire/index.ts";
import type { Json, JsonObject } from "../../../../../wire/index.ts";
import type { Reading } from "../read-sentence.ts";
import { stemsOfName } from "../words.ts";
import type { RehearsalWorld } from "../request.ts";
import { namesIn, resolveSchema } from "../schema/resolve-schema.ts";
import { sample, satisfies } from "../schema/sample.ts";
import type { Sampling } from "../schema/sample.ts";
import { chooseValues } from "./choose-values.ts";
import { planOf, slotsIn } from "./plan.ts";
import type { Plan } from "./plan.ts";
import { lawfulDefault } from "./lawful-default.ts";
import type { Slot } from "./slot.ts";

export interface FilledArguments {
  readonly arguments: JsonObject;
  /** Where a value was taken that the sentence does not say. */
  readonly chosen: readonly Slot[];
}

/** The arguments, or what they lack; that is nothing where no value for the schema was found at all. */
export type Filled = FilledArguments | { readonly missing: readonly Slot[] };

export interface FillOptions {
  /** Makes up what is missing instead of asking for it. */
  readonly invents?: boolean;
  /** Values by the names of properties, which win over the sentence. */
  readonly known?: ReadonlyMap<string, Json>;
}

export interface Filling extends RehearsalWorld {
  readonly reading: Reading;
  /** The tool's name. */
  readonly name?: string;
}

export function fillArguments(schema: JsonObject, filling: Filling, options: FillOptions = {}): Filled {
  const { reading, name = "", validate, today } = filling;
  const sampling: Sampling = { root: schema, validate, today };
  const root = resolveSchema(schema, schema);
  const plan = root && planOf(root, { path: [], required: true, sampling });
  if (!plan) return { missing: [] };
  const { known = new Map<string, Json>() } = options;
  const called = new Set(stemsOfName(name));
  const { values, refused } = chooseValues(slotsIn(plan), { reading, sampling, called, known });
  const writer: Writer = { values, refused, sampling, invents: options.invents ?? false, missing: [], chosen: [] };
  const attempts = [() => write(plan, writer), () => write(plan, { ...writer, values: requiredOnly(values) })];
  for (const attempt of attempts) {
    writer.missing.length = 0;
    writer.chosen.length = 0;
    const value = attempt();
    if (writer.missing.length > 0) return { missing: [...writer.missing] };
    if (isJsonObject(value) && satisfies(value, schema, sampling))
      return { arguments: value, chosen: [...writer.chosen] };
  }
  const made = options.invents ? sample(schema, sampling) : undefined;
  return isJsonObject(made)
    ? { arguments: made, chosen: [] }
    : { missing: slotsIn(plan).filter(({ path }) => path.length === 1) };
}

function requiredOnly(values: ReadonlyMap<Slot, Json>): ReadonlyMap<Slot, Json> {
  return new Map([...values].filter(([{ required }]) => required));
}

interface Writer {
  readonly values: ReadonlyMap<Slot, Json>;
  /** What was said by name and is not lawful there. */
  readonly refused: ReadonlySet<Slot>;
  readonly sampling: Sampling;
  readonly invents: boolean;
  readonly missing: Slot[];
  readonly chosen: Slot[];
}

function write(plan: Plan, writer: Writer): Json | undefined {
  if (plan.kind === "slot") return writeSlot(plan.slot, writer);
  const isSaid = slotsIn(plan).some((slot) => writer.values.has(slot) || writer.refused.has(slot));
  if (!plan.required && !isSaid) return undefined;
  if (plan.kind === "list") return writeList(plan, writer);
  const value: [string, Json][] = [];
  // An object that may be left out is left out where a part of it is missing.
  const own: Writer = plan.required ? writer : { ...writer, missing: [] };
  for (const [name, part] of plan.parts) {
    const written = write(part, own);
    if (written !== undefined) value.push([name, written]);
  }
  if (own.missing.length > 0) return undefined;
  const least = plan.schema["minProperties"];
  if (typeof least === "number" && value.length < least && plan.required && !writer.invents)
    writer.missing.push(...slotsIn(plan).filter((slot) => !writer.values.has(slot)));
  const needed = namesIn(plan.schema["required"]).filter((name) => !plan.parts.has(name));
  for (const name of needed)
    value.push([name, sample(plan.schema["additionalProperties"] ?? {}, writer.sampling) ?? null]);
  return Object.fromEntries(value);
}

function writeList(plan: Extract<Plan, { kind: "list" }>, writer: Writer): Json | undefined {
  const isSaid = slotsIn(plan.item).some((slot) => writer.values.has(slot));
  const made =
    lawfulDefault(plan.slot.schema, writer.sampling) ??
    (writer.invents ? sample(plan.slot.schema, writer.sampling) : undefined);
  if (!isSaid && made !== undefined) return made;
  if (!isSaid) return void writer.missing.push(plan.slot);
  const item = write(plan.item, writer);
  return item === undefined ? undefined : [item];
}

function writeSlot(slot: Slot, writer: Writer): Json | undefined {
  const { values, refused, sampling, invents, missing, chosen } = writer;
  if (values.has(slot)) return values.get(slot);
  if (refused.has(slot) && !invents) return void missing.push(slot);
  if (!slot.required) return undefined;
  const lawful = lawfulDefault(slot.schema, sampling);
  if (lawful === undefined && !invents) return void missing.push(slot);
  const name = String(slot.path.at(-1) ?? "value");
  const value = lawful === undefined ? sample(slot.schema, sampling, { name }) : lawful;
  if (!("default" in slot.schema) && !("const" in slot.schema) && value !== null) chosen.push(slot);
  return value;
}
