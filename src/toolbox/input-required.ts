import type { AskMethod, JsonObject, Meta } from "../wire/index.ts";

/** One question in MCP's form. `params` may only be left out of "roots/list". */
export interface InputRequest {
  readonly method: AskMethod;
  readonly params?: JsonObject;
}

/**
 * What a handler of a tool, resource or prompt may return instead of its answer: MCP's own result for "ask this first".
 * The handler then runs again, with the same input and with `context.input`. It holds questions, a state, or both.
 * Where an output schema gives the handler its type, say `satisfies InputRequired` behind it.
 */
export interface InputRequired {
  readonly resultType: "input_required";
  /** By a key of the handler's choice; the answers come under the same keys. */
  readonly inputRequests?: { readonly [key: string]: InputRequest };
  /** Handed back as `context.input.state`. It may have been through the caller's hands: trust it as you trust the caller. */
  readonly requestState?: string;
  readonly _meta?: Meta;
}
