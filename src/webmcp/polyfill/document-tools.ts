// The tools of this document, by name, from scripts and forms.
import type { ListedTool } from "./page-windows.ts";

/** A call's side effects beside its result. */
export interface RunningCall {
  /** Aborts when the caller gave up. */
  readonly signal: AbortSignal;
  /** Reports once that the tool has started to work. */
  activated(): void;
}

export interface DocumentTool extends ListedTool {
  /** Text, or null if it navigated. */
  run(input: object, call: RunningCall): Promise<string | null>;
}

export const documentTools = new Map<string, DocumentTool>();

export function isToolName(name: string): boolean {
  return /^[\w.-]{1,128}$/.test(name);
}
