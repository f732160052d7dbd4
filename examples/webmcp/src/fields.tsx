import type { RegisteredTool } from "pagewire/webmcp";

/** One property of a tool's input, as a form asks for it. */
export interface InputField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: {
    readonly type?: string;
    readonly description?: string;
    readonly enum?: readonly string[];
    readonly default?: string | number;
    readonly minimum?: number;
    readonly maximum?: number;
  };
}

export function fieldsOf({ inputSchema }: RegisteredTool): readonly InputField[] {
  const { properties = {}, required = [] } = (inputSchema ?? {}) as {
    readonly properties?: Readonly<Record<string, InputField["schema"]>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) }));
}

export function Field({ field: { name, schema, isRequired } }: { readonly field: InputField }) {
  return (
    <label>
      <span>{name}</span>
      <Control name={name} schema={schema} isRequired={isRequired} />
      {schema.description && <small>{schema.description}</small>}
    </label>
  );
}

function Control({ name, schema, isRequired }: InputField) {
  const common = { name, required: isRequired, defaultValue: schema.default };
  if (schema.enum) {
    return (
      <select {...common}>
        {schema.enum.map((value) => (
          <option key={value}>{value}</option>
        ))}
      </select>
    );
  }
  if (schema.type === "boolean") return <input type="checkbox" name={name} />;
  if (isNumber(schema)) {
    const step = schema.type === "integer" ? 1 : "any";
    return <input type="number" step={step} min={schema.minimum} max={schema.maximum} {...common} />;
  }
  if (schema.type === "string") return <input {...common} />;
  return <textarea placeholder="JSON" {...common} />;
}

/** The form's input, without empty fields. */
export function readInput(form: HTMLFormElement, fields: readonly InputField[]): object {
  const filled = new FormData(form);
  const values = fields.flatMap(({ name, schema }) => {
    if (schema.type === "boolean") return [[name, filled.has(name)]];
    const text = filled.get(name);
    return typeof text === "string" && text !== "" ? [[name, valueOf(text, schema)]] : [];
  });
  return Object.fromEntries(values) as object;
}

function valueOf(text: string, schema: InputField["schema"]): unknown {
  if (isNumber(schema)) return Number(text);
  return schema.type === "string" || schema.enum ? text : JSON.parse(text);
}

function isNumber({ type }: InputField["schema"]): boolean {
  return type === "number" || type === "integer";
}
