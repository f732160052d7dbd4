import type { JsonObject, ToolAnnotations } from "../wire/index.ts";

/** A tool as the parent tells the agent's window of it. */
export interface WindowTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
  readonly title?: string;
  /** Without `readOnlyHint: true` the user is asked before it runs. */
  readonly annotations?: ToolAnnotations;
}
