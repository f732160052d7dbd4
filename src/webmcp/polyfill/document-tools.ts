// The tools of this document, by name, whoever brought them: a script or a form.
import type { ListedTool } from "./page-windows.ts";

/** What a call may do beside its answer. */
export interface RunningCall {
  /** Aborts when the caller gave up. */
  readonly signal: AbortSignal;
  /** Says once that the tool works now. */
  activated(): void;
}

export interface DocumentTool extends ListedTool {
  /** Text, or null where it led to another page. */
  run(input: object, call: RunningCall): Promise<string | null>;
}

export const documentTools = new Map<string, DocumentTool>();

/** Whether a name is one that tools may have. */
export function isToolName(name: string): boolean {
  return /^[\w.-]{1,128}$/.test(name);
}
