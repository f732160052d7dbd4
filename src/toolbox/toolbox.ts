import type { ErrorCode, JsonObject, Limits, Offer, OfferChange } from "../wire/index.ts";
import type { CallEnvironment } from "./context.ts";

/**
 * An observable set of tools in one place, with the resources, prompts and completions beside them.
 * A page's own registry is one; so is a remote MCP server or a browser's model context.
 */
export interface Toolbox {
  offer(): Offer;
  /**
   * Calls back with changes, merged per microtask; returns a function that stops it.
   * What is added under a known key replaces what was there.
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
 * What a toolbox makes of one call.
 * - `result`: MCP JSON text ready to send; a tool that failed is a result too, with `isError`. With `inputRequired` it
 *   asks for input first, as the handler wrote it: only callers that take rounds are given that.
 * - `refused`: the handler was not run.
 * - `failed`: the handler of a resource, prompt or completion ran and gave no answer that could be sent.
 * - `aborted`: the environment's signal ended the call first; the handler may have run, or still run.
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
