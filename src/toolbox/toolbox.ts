import type { ErrorCode, JsonObject, Limits, Offer, OfferChange } from "../wire/index.ts";
import type { CallEnvironment } from "./context.ts";

/**
 * An observable set of tools in one place, with resources, prompts and completions. Examples: a page's own registry, a
 * remote MCP server, a browser's model context.
 */
export interface Toolbox {
  offer(): Offer;
  /**
   * Calls back with changes, merged per microtask; returns a function that stops it.
   * Adding under an existing key replaces the definition.
   */
  subscribe(listener: (change: OfferChange) => void): () => void;
  /** Calls back with the URIs of updated resources, merged per microtask; returns a function that stops it. */
  onResourceUpdated(listener: (uri: string) => void): () => void;
  /** Runs a tool. Never throws or rejects: every failure is a result or a refusal. */
  callTool(name: string, input: unknown, environment: CallEnvironment): Promise<CallOutcome>;
  readResource(uri: string, environment: CallEnvironment): Promise<CallOutcome>;
  getPrompt(name: string, input: unknown, environment: CallEnvironment): Promise<CallOutcome>;
  complete(parameters: JsonObject, environment: CallEnvironment): Promise<CallOutcome>;
}

/**
 * The outcome of one call.
 * - `result`: MCP JSON text ready to send; a failed tool is a result too, with `isError`. With `inputRequired` it asks
 *   for input first, as the handler wrote it: only callers that support rounds receive that.
 * - `refused`: the handler was not run.
 * - `failed`: the handler of a resource, prompt or completion ran, but returned no answer that could be sent.
 * - `aborted`: the environment's signal ended the call first; the handler may have run, or may still run.
 */
export type CallOutcome =
  | {
      readonly kind: "result";
      readonly payload: string;
      readonly isError: boolean;
      readonly inputRequired?: true;
    }
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: "failed"; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: "aborted" };

export type ToolboxLimits = Pick<Limits, "frameBytes" | "headerBytes" | "jsonDepth" | "offersPerPage" | "schemaBytes">;
