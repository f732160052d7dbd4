// A form made from a JSON schema. It holds no values: each control changes its part of the whole.
import { isJsonObject, showInvisible } from "pagewire/wire";
import { useState } from "preact/hooks";
import type { Json, JsonObject } from "pagewire/wire";
import { icons } from "../../../common/src/icons.ts";
import { Button, Select, TextField } from "../../../common/src/ui/index.ts";
import { Choice, Constant, JsonControl, NumberControl, TextControl } from "./controls.tsx";
import type { Valued } from "./controls.tsx";
import { addedValue, partOf, variantFor } from "./schema.ts";
import type { Named, Part } from "./schema.ts";

export interface SchemaFormProps {
  readonly schema: JsonObject;
  readonly value: JsonObject;
  readonly onValue: (value: JsonObject) => void;
  /** Messages by the JSON pointer of the part that they are about. */
  readonly problems: ReadonlyMap<string, string>;
}

/** The fields of an object's schema. */
export function SchemaForm({ schema, value, onValue, problems }: SchemaFormProps) {
  const part = partOf(schema, schema);
  const shared = { root: schema, problems };
  if (part.kind !== "object" || (part.fields.length === 0 && part.others === false))
    return part.kind === "object" ? (
      <p class="hint">It takes no arguments.</p>
    ) : (
      <Control
        {...shared}
        pointer=""
        name=""
        schema={schema}
        value={value}
        onValue={(next) => onValue(asObject(next))}
      />
    );
  return <ObjectFields {...shared} part={part} pointer="" value={value} onValue={(next) => onValue(asObject(next))} />;
}

function asObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

interface Shared {
  readonly root: JsonObject;
  readonly problems: ReadonlyMap<string, string>;
  /** The JSON pointer of this part. */
  readonly pointer: string;
}

interface ControlProps extends Shared, Valued {
  readonly name: string;
  readonly schema: Json;
  readonly isRequired?: boolean;
}

function Control(props: ControlProps) {
  const { root, problems, pointer, name, schema, isRequired = false, value, onValue } = props;
  const part = partOf(schema, root, name);
  const label = `${showInvisible(part.title ?? name)}${isRequired ? "" : " (optional)"}`;
  const hint = part.description === undefined ? {} : { hint: showInvisible(part.description) };
  const error = problems.get(pointer);
  const about = { label, ...hint, error };
  switch (part.kind) {
    case "text":
      return <TextControl {...{ about, part, value, onValue, isRequired }} />;
    case "number":
      return <NumberControl {...{ about, value, onValue }} isWhole={part.isWhole} />;
    case "constant":
      return <Constant {...{ label, value, onValue, isRequired }} constant={part.value} />;
    case "boolean":
      return <Choice {...{ about, value, onValue, isRequired }} values={[true, false]} labels={["yes", "no"]} />;
    case "choice":
      return <Choice {...{ about, value, onValue, isRequired }} values={part.values} labels={part.labels} />;
    case "json":
      return <JsonControl {...{ about, value, onValue }} />;
    default:
      return <Group {...props} part={part} label={label} error={error} />;
  }
}

interface GroupProps extends ControlProps {
  readonly part: Extract<Part, { kind: "object" | "list" | "variants" }>;
  readonly label: string;
  readonly error: string | undefined;
}

/** A part with parts. One that may be left out is there once its user adds it. */
function Group({ part, label, error, ...control }: GroupProps) {
  const { root, schema, value, onValue, isRequired = false } = control;
  const isGiven = value !== undefined || isRequired;
  // A problem in a part says more than that none of the kinds fits.
  const isSaid =
    part.kind === "variants" && [...control.problems.keys()].some((at) => at.startsWith(`${control.pointer}/`));
  return (
    <fieldset class="stack group">
      <legend>{label}</legend>
      {part.description !== undefined && <p class="hint">{showInvisible(part.description)}</p>}
      {isGiven ? <GroupParts {...control} part={part} /> : null}
      {!isRequired && (
        <Button
          small
          icon={isGiven ? icons.bin : icons.plus}
          onClick={() => onValue(isGiven ? undefined : addedValue(schema, root))}
        >
          {isGiven ? "Leave it out" : "Add"}
        </Button>
      )}
      {error !== undefined && !isSaid && <p class="problem">{error}</p>}
    </fieldset>
  );
}

type PartsProps = ControlProps & Pick<GroupProps, "part">;

function GroupParts({ part, ...control }: PartsProps) {
  if (part.kind === "object") return <ObjectFields {...control} part={part} />;
  if (part.kind === "list") return <ListItems {...control} part={part} />;
  return <Variants {...control} part={part} />;
}

type Parts<Kind> = Shared & Valued & { readonly part: Extract<Part, { kind: Kind }> };

function ObjectFields({ part, value, onValue, pointer, ...shared }: Parts<"object">) {
  const object = asObject(value);
  const set = (name: string, next: Json | undefined) => {
    const { [name]: _, ...rest } = object;
    onValue(next === undefined ? rest : { ...object, [name]: next });
  };
  const known = new Set(part.fields.map(({ name }) => name));
  const others = Object.keys(object).filter((name) => !known.has(name));
  const field = ({ name, schema, isRequired }: Named) => (
    <Control
      key={name}
      {...shared}
      {...{ name, schema, isRequired }}
      pointer={`${pointer}/${escaped(name)}`}
      value={object[name]}
      onValue={(next) => set(name, next)}
    />
  );
  return (
    <div class="stack fields">
      {part.fields.map(field)}
      {others.map((name) => (
        <div key={name} class="removable">
          {field({ name, schema: isJsonObject(part.others) ? part.others : {}, isRequired: true })}
          <Button small kind="quiet" icon={icons.bin} label={`Remove ${name}`} onClick={() => set(name, undefined)} />
        </div>
      ))}
      {part.others !== false && (
        <AddField
          isTaken={(name) => object[name] !== undefined}
          onAdd={(name) => set(name, isJsonObject(part.others) ? addedValue(part.others, shared.root) : "")}
        />
      )}
    </div>
  );
}

interface AddFieldProps {
  isTaken(name: string): boolean;
  onAdd(name: string): void;
}

/** Fields that the schema allows and does not name. */
function AddField({ isTaken, onAdd }: AddFieldProps) {
  const [name, setName] = useState("");
  const isWrong = name === "__proto__" || isTaken(name);
  const add = () => {
    if (name === "" || isWrong) return;
    onAdd(name);
    setName("");
  };
  return (
    <div class="removable">
      <TextField
        label="Name of a further field"
        value={name}
        onValue={setName}
        error={isWrong ? "There is one of this name, or there cannot be." : undefined}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          add();
        }}
      />
      <Button small onClick={add} disabled={name === "" || isWrong}>
        Add
      </Button>
    </div>
  );
}

function ListItems({ part, value, onValue, pointer, ...shared }: Parts<"list">) {
  const items = Array.isArray(value) ? (value as readonly Json[]) : [];
  const schemaOf = (index: number) => part.first[index] ?? part.items;
  const isFull = items.length >= part.first.length && part.items === false;
  return (
    <div class="stack fields">
      {items.map((item, index) => (
        <div key={index} class="removable">
          <Control
            {...shared}
            name={`${index + 1}`}
            schema={schemaOf(index)}
            isRequired
            pointer={`${pointer}/${index}`}
            value={item}
            onValue={(next) => onValue(items.with(index, next ?? null))}
          />
          <Button
            small
            kind="quiet"
            icon={icons.bin}
            label={`Remove item ${index + 1}`}
            onClick={() => onValue(items.toSpliced(index, 1))}
          />
        </div>
      ))}
      {!isFull && (
        <Button
          small
          icon={icons.plus}
          onClick={() => onValue([...items, addedValue(schemaOf(items.length), shared.root)])}
        >
          Add an item
        </Button>
      )}
    </div>
  );
}

function Variants({ part, value, onValue, ...shared }: Parts<"variants">) {
  const schemas = part.variants.map(({ schema }) => schema);
  const [chosen, choose] = useState(() => variantFor(value, schemas, shared.root));
  const schema = schemas[chosen] ?? {};
  // The message that the value fits none of the kinds is shown once, around them.
  const { pointer } = shared;
  const own = { ...shared, problems: new Map([...shared.problems].filter(([at]) => at !== pointer)) };
  return (
    <div class="stack fields">
      <Select
        label="Kind"
        value={String(chosen)}
        options={part.variants.map(({ label }, index) => ({ value: String(index), label: showInvisible(label) }))}
        onValue={(next) => {
          choose(Number(next));
          onValue(addedValue(schemas[Number(next)] ?? {}, shared.root));
        }}
      />
      <Control {...own} key={chosen} name="Value" schema={schema} isRequired value={value} onValue={onValue} />
    </div>
  );
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
