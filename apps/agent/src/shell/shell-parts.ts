import type { AiAgent } from "pagewire/ai-agent";
import type { Parent } from "../parent/connect-parent.ts";

/** What the parts of the shell that only watch are given. */
export interface ShellParts {
  readonly agent: AiAgent;
  readonly parent: Parent;
  /** Aborted when they have to stop. */
  readonly signal: AbortSignal;
}
