import type { JsonObject } from "../wire/index.ts";
import type { CallerInfo } from "./context.ts";

/** One thing that a user is asked to allow, shown with exactly the arguments it will run with. */
export interface ApprovalRequest {
  readonly tool: string;
  readonly title?: string;
  /** Whose tool it is, where it is not the asking page's own. */
  readonly origin?: string;
  readonly arguments: JsonObject;
  readonly agent: CallerInfo;
  /** Why it is asked: the tool may destroy something, or reaches another origin. */
  readonly reason: string;
  /** The origins, other than the tool's, that wrote something in the conversation: it may be what has the tool called. */
  readonly textFrom?: readonly string[];
  /** However far the decision goes: it counts for this one call. */
  readonly once?: true;
}

/** How far a user's consent goes. `always` holds for the tool's present definition only. */
export type ApprovalDecision =
  | { readonly approved: true; readonly scope: "once" | "session" | "always" }
  | { readonly approved: false; readonly scope: "once" | "always" };

/** Asks a user. Rejects never; no answer is a refusal. */
export type Approve = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalDecision>;
