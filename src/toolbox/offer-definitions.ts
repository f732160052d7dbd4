import type { ContentBlock, Prompt, Resource, ResourceTemplate } from "../wire/index.ts";
import type { CallContext } from "./context.ts";
import type { InputRequired } from "./input-required.ts";
import type { MaybePromise } from "./tool-definition.ts";

/** The values of a template's variables or of a prompt's arguments. */
export type TextValues = Readonly<Record<string, string>>;

/** Proposes values for one variable or argument, given what was typed so far and the other values. */
export type Complete = (value: string, others: TextValues, context: CallContext) => MaybePromise<readonly string[]>;

/** What reading a resource may return: text, text or base64 with a type of its own, MCP's own result, or what to ask first. */
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

/** What a prompt may return: the user's words, messages, MCP's own result, or what to ask first. */
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
