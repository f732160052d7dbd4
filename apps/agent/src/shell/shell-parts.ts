import type { AiAgent } from "pagewire/ai-agent";
import type { Parent } from "../parent/connect-parent.ts";

/** The context of the shell's parts that only watch. */
export interface ShellParts {
  readonly agent: AiAgent;
  readonly parent: Parent;
  /** Aborted when they have to stop. */
  readonly signal: AbortSignal;
}
