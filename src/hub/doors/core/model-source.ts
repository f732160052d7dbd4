import { PagewireError } from "../../../wire/index.ts";
import type { ResolvedAi } from "../../options/ai-options.ts";

/** The model of each principal: in team mode its organisation's, else the hub's. */
export interface ModelSource {
  /** Must be awaited before a principal's model is asked for. */
  load(principal: string): Promise<void>;
  /** Undefined if there is none; throws if it cannot be used. */
  of(principal: string): ResolvedAi | undefined;
  /** Why there is none, with who can change that. */
  missing(principal: string): PagewireError;
}

export function sameForAll(ai: ResolvedAi | undefined): ModelSource {
  return { load: async () => {}, of: () => ai, missing: modelMissing };
}

export function modelMissing(): PagewireError {
  return new PagewireError("model-missing", "This hub has no model. Start it with --model, or give createHub `ai`.");
}

export function modelChanged(): PagewireError {
  return new PagewireError("option-refused", "Another model was set for your organisation meanwhile. Ask again.");
}
