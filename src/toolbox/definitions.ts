// Tools, resources and prompts as their authors define them.
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type {
  CallToolResult,
  ContentBlock,
  Icon,
  Meta,
  Prompt,
  Resource,
  ResourceTemplate,
  ToolAnnotations,
} from "../wire/index.ts";
import type { CallContext, InputRequired } from "./context.ts";

export type MaybePromise<Value> = Value | PromiseLike<Value>;

/** The schema of a tool that declares none. */
export type NoInput = { readonly type: "object"; readonly properties: Record<never, never> };

/**
 * A tool as its author writes it, in the shape of WebMCP's `registerTool`.
 * A schema is a JSON Schema 2020-12 object, or a Standard Schema that can be converted to JSON Schema
 * (zod from 4.2 on, arktype, valibot wrapped in `toStandardJsonSchema`).
 */
export interface ToolDefinition<Input = unknown, Answer = unknown> {
  /** 1 to 128 letters, digits, dots, dashes or underscores. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** The schema of the input, validated before `execute` runs. By default any object. */
  readonly inputSchema?: object;
  /** The schema of the structured result, validated before it is sent. */
  readonly outputSchema?: object;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
  /**
   * Returns a string, any JSON value, an MCP result, or nothing; or an `InputRequired`, to run again with the answers.
   * A thrown error becomes the tool's error.
   */
  execute(input: Input, context: CallContext): MaybePromise<Answer>;
}

/** A tool whose handler is typed by its schemas. */
export interface SchemaTool<Input extends object, Output extends object> extends ToolDefinition<
  InputOf<Input>,
  AnswerOf<Output>
> {
  readonly inputSchema?: Input;
  readonly outputSchema?: Output;
}

/** A handler's input type, by its input schema. */
export type InputOf<Schema extends object> = object extends Schema
  ? unknown
  : Schema extends StandardSchemaV1
    ? StandardSchemaV1.InferOutput<Schema>
    : unknown extends FromSchema<Schema>
      ? Record<string, unknown>
      : FromSchema<Schema>;

/** A handler's return type, by its output schema. */
export type AnswerOf<Schema extends object> = object extends Schema
  ? unknown
  : Schema extends StandardSchemaV1
    ? StandardSchemaV1.InferInput<Schema> | CallToolResult | InputRequired
    : FromSchema<Schema> | CallToolResult | InputRequired;

/** Declares a tool: returns its definition, with the handler's types inferred from the schemas. */
export function defineTool<const Input extends object = NoInput, const Output extends object = object>(
  definition: SchemaTool<Input, Output>,
): ToolDefinition<InputOf<Input>, AnswerOf<Output>> {
  return definition;
}

/** The values of a template's variables or of a prompt's arguments. */
export type TextValues = Readonly<Record<string, string>>;

/** Suggests values for one variable or argument, based on the text typed so far and the other values. */
export type Complete = (value: string, others: TextValues, context: CallContext) => MaybePromise<readonly string[]>;

/** A resource's contents: text, text or base64 with a MIME type, an MCP result, or a request for input. */
export type ResourceAnswer =
  | string
  | { readonly text: string; readonly mimeType?: string }
  | { readonly blob: string; readonly mimeType?: string }
  | { readonly contents: readonly object[] }
  | InputRequired;

/** A resource as its author writes it. */
export interface ResourceDefinition extends Resource {
  read(uri: string, context: CallContext): MaybePromise<ResourceAnswer>;
}

/** A family of resources, by a URI template with `{variable}` parts (RFC 6570, level 1). */
export interface ResourceTemplateDefinition extends ResourceTemplate {
  read(uri: string, variables: TextValues, context: CallContext): MaybePromise<ResourceAnswer>;
  readonly complete?: Readonly<Record<string, Complete>>;
}

export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: ContentBlock;
}

/** A prompt's result: the user's text, messages, an MCP result, or a request for input. */
export type PromptAnswer =
  | string
  | readonly PromptMessage[]
  | { readonly description?: string; readonly messages: readonly PromptMessage[] }
  | InputRequired;

/** A prompt as its author writes it. */
export interface PromptDefinition extends Prompt {
  get(input: TextValues, context: CallContext): MaybePromise<PromptAnswer>;
  readonly complete?: Readonly<Record<string, Complete>>;
}

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
