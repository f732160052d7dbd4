import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { CallToolResult, Icon, Meta, ToolAnnotations } from "../wire/index.ts";
import type { CallContext } from "./context.ts";
import type { FromSchema } from "./from-schema.ts";
import type { InputRequired } from "./input-required.ts";

export type MaybePromise<Value> = Value | PromiseLike<Value>;

/** The schema of a tool that declares none. */
export type NoInput = { readonly type: "object"; readonly properties: Record<never, never> };

/**
 * A tool as its author writes it, in the shape of WebMCP's `registerTool`.
 * A schema is a JSON Schema 2020-12 object, or a Standard Schema that can say its JSON Schema
 * (zod from 4.2 on, arktype, valibot wrapped in `toStandardJsonSchema`).
 */
export interface ToolDefinition<Input = unknown, Answer = unknown> {
  /** 1 to 128 letters, digits, dots, dashes or underscores. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** What `execute` is given; checked before it runs. Without one, any object. */
  readonly inputSchema?: object;
  /** What `execute` returns as its structured answer; checked before it is sent. */
  readonly outputSchema?: object;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
  /**
   * Returns a string, anything that JSON can hold, an MCP result, or nothing; or an `InputRequired`, to run again once
   * that is answered. What it throws is the tool's error.
   */
  execute(input: Input, context: CallContext): MaybePromise<Answer>;
}

/** A tool whose handler's types come from its schemas. */
export interface SchemaTool<Input extends object, Output extends object> extends ToolDefinition<
  InputOf<Input>,
  AnswerOf<Output>
> {
  readonly inputSchema?: Input;
  readonly outputSchema?: Output;
}

/** What a handler is given, by its input schema. */
export type InputOf<Schema extends object> = object extends Schema
  ? unknown
  : Schema extends StandardSchemaV1
    ? StandardSchemaV1.InferOutput<Schema>
    : unknown extends FromSchema<Schema>
      ? Record<string, unknown>
      : FromSchema<Schema>;

/** What a handler may return, by its output schema. */
export type AnswerOf<Schema extends object> = object extends Schema
  ? unknown
  : Schema extends StandardSchemaV1
    ? StandardSchemaV1.InferInput<Schema> | CallToolResult | InputRequired
    : FromSchema<Schema> | CallToolResult | InputRequired;
