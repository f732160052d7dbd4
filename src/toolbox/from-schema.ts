/** The TypeScript type that a JSON Schema literal describes, as precisely as possible; otherwise `unknown`. */
export type FromSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Choice)[] } | { readonly oneOf: readonly (infer Choice)[] }
      ? FromSchema<Choice>
      : Schema extends { readonly type: infer Type }
        ? FromType<Schema, Type>
        : unknown;

type FromType<Schema, Type> = Type extends readonly (infer One)[]
  ? FromType<Schema, One>
  : Type extends "string"
    ? string
    : Type extends "number" | "integer"
      ? number
      : Type extends "boolean"
        ? boolean
        : Type extends "null"
          ? null
          : Type extends "array"
            ? FromArray<Schema>
            : Type extends "object"
              ? FromObject<Schema>
              : unknown;

type FromArray<Schema> = Schema extends { readonly items: infer Item } ? FromSchema<Item>[] : unknown[];

type FromObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      { -readonly [Name in keyof Properties & RequiredNames<Schema>]: FromSchema<Properties[Name]> } & {
        -readonly [Name in Exclude<keyof Properties, RequiredNames<Schema>>]?: FromSchema<Properties[Name]>;
      }
    >
  : Record<string, unknown>;

type RequiredNames<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never;

type Flat<Type> = { [Name in keyof Type]: Type[Name] };
