// The controls of values without parts: texts, numbers, choices, and JSON where a schema says nothing.
import { showInvisible } from "pagewire/wire";
import type { Json } from "pagewire/wire";
import { useState } from "preact/hooks";
import { Select, TextArea, TextField } from "../../../common/src/ui/index.ts";
import { labelOf } from "./schema.ts";
import type { Part } from "./schema.ts";

interface About {
  readonly label: string;
  readonly hint?: string;
  readonly error: string | undefined;
}

export interface Valued {
  readonly value: Json | undefined;
  /** Undefined takes the value away. */
  readonly onValue: (value: Json | undefined) => void;
}

interface TextProps extends Valued {
  readonly about: About;
  readonly part: Extract<Part, { kind: "text" }>;
  readonly isRequired: boolean;
}

export function TextControl({ about, part, value, onValue, isRequired }: TextProps) {
  const { default: preset, format, examples } = part.schema;
  const example =
    preset ?? (Array.isArray(examples) ? examples[0] : undefined) ?? (format === "date-time" && timeExample);
  const placeholder = typeof example === "string" ? { placeholder: example } : {};
  const shared = {
    ...about,
    ...placeholder,
    value: value === undefined ? "" : labelOf(value),
    // An empty field that may be left out is left out.
    onValue: (text: string) => onValue(text === "" && !isRequired ? undefined : text),
  };
  if (part.isLong || shared.value.includes("\n")) return <TextArea {...shared} rows={3} />;
  return <TextField {...shared} type={part.input} autocomplete="off" spellcheck={false} />;
}

const timeExample = "2026-01-31T12:00:00Z";

export function NumberControl({ about, value, onValue, isWhole }: Valued & { about: About; isWhole: boolean }) {
  const [typed, setTyped] = useState<string>();
  const shown = typed !== undefined && meant(typed) === value ? typed : value === undefined ? "" : labelOf(value);
  const change = (text: string) => {
    setTyped(text);
    onValue(meant(text));
  };
  return (
    <TextField
      {...about}
      value={shown}
      onValue={change}
      inputMode={isWhole ? "numeric" : "decimal"}
      autocomplete="off"
    />
  );
}

/** The number that a text is; a text that is none stays, and the schema says what is wrong with it. */
function meant(text: string): Json | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const number = Number(trimmed);
  return Number.isFinite(number) && /^[-+.\deE]+$/.test(trimmed) ? number : text;
}

interface ChoiceProps extends Valued {
  readonly about: About;
  readonly values: readonly Json[];
  readonly labels: readonly string[];
  readonly isRequired: boolean;
}

export function Choice({ about, values, labels, value, onValue, isRequired }: ChoiceProps) {
  const index = values.findIndex((each) => JSON.stringify(each) === JSON.stringify(value));
  const none = { value: "", label: isRequired ? "Choose" : "not given" };
  const options = values.map((_, at) => ({ value: String(at), label: showInvisible(labels[at] ?? "") }));
  return (
    <Select
      {...about}
      options={[none, ...options]}
      value={index < 0 ? "" : String(index)}
      onValue={(chosen) => onValue(chosen === "" ? undefined : values[Number(chosen)])}
    />
  );
}

interface ConstantProps extends Valued {
  readonly label: string;
  readonly constant: Json;
  readonly isRequired: boolean;
}

export function Constant({ label, constant, value, onValue, isRequired }: ConstantProps) {
  if (isRequired || label === "")
    return (
      <p class="field">
        <span class="field-name">{label}</span> <code>{showInvisible(labelOf(constant))}</code>
      </p>
    );
  const about = { label, error: undefined };
  return <Choice {...{ about, value, onValue, isRequired }} values={[constant]} labels={[labelOf(constant)]} />;
}

export function JsonControl({ about, value, onValue }: Valued & { about: About }) {
  const [typed, setTyped] = useState<string>();
  const parsed = typed === undefined ? undefined : parseJson(typed);
  const isOwn = parsed !== undefined && JSON.stringify(parsed.value) === JSON.stringify(value);
  const isBroken = typed !== undefined && typed.trim() !== "" && !parsed;
  const text = isOwn || isBroken ? (typed ?? "") : value === undefined ? "" : JSON.stringify(value, null, 2);
  const change = (next: string) => {
    setTyped(next);
    const found = parseJson(next);
    if (found || next.trim() === "") onValue(found?.value);
  };
  return (
    <TextArea
      {...about}
      rows={3}
      placeholder="JSON"
      spellcheck={false}
      value={text}
      onValue={change}
      error={isBroken ? "This is not JSON yet. A text is in double quotes." : about.error}
    />
  );
}

export function parseJson(text: string): { readonly value: Json } | undefined {
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return undefined;
  }
}
