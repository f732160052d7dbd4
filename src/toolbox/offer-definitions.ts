import type { ContentBlock, Prompt, Resource, ResourceTemplate } from "../wire/index.ts";
import type { CallContext } from "./context.ts";
import type { MaybePromise } from "./tool-definition.ts";

/** The values of a template's variables or of a prompt's arguments. */
export type TextValues = Readonly<Record<string, string>>;

/** Proposes values for one variable or argument, given what was typed so far and the other values. */
export type Complete = (value: string, others: TextValues, context: CallContext) => MaybePromise<readonly string[]>;

/** What reading a resource may return: text, text or base64 with a type of its own, or MCP's own result. */
export type ResourceAnswer =
  | string
  | { readonly text: string; readonly mimeType?: string }
  | { readonly blob: string; readonly mimeType?: string }
  | { readonly contents: readonly object[] };

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

/** What a prompt may return: the user's words, messages, or MCP's own result. */
export type PromptAnswer =
  | string
  | readonly PromptMessage[]
  | { readonly description?: string; readonly messages: readonly PromptMessage[] };

/** A prompt as its author writes it. */
export interface PromptDefinition extends Prompt {
  get(input: TextValues, context: CallContext): MaybePromise<PromptAnswer>;
  readonly complete?: Readonly<Record<string, Complete>>;
}
