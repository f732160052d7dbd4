import type { DocumentTool } from "./document-tools.ts";
import { later } from "../later.ts";
import { ToolActivatedEvent, ToolCancelEvent } from "./tool-events.ts";

export interface ToolRun {
  /** JSON text. */
  readonly input: string;
  /** The caller's. */
  readonly signal: AbortSignal;
  /** Where events of the call go. */
  readonly events: EventTarget;
}

/** Calls a tool of this document, in a task of its own as all that it brings about. */
export function runDocumentTool(tool: DocumentTool, { input, signal, events }: ToolRun): Promise<string | null> {
  const toolName = tool.name;
  const cancelling = new AbortController();
  const onAbort = () =>
    later(() => {
      cancelling.abort();
      events.dispatchEvent(new ToolCancelEvent("toolcancel", { toolName }));
    });
  signal.addEventListener("abort", onAbort, { once: true });
  const activated = () => void events.dispatchEvent(new ToolActivatedEvent("toolactivated", { toolName }));
  const call = { signal: cancelling.signal, activated };
  const answered = new Promise<string | null>((resolve) => {
    later(() => resolve(tool.run(JSON.parse(input) as object, call)));
  });
  return answered.finally(() => signal.removeEventListener("abort", onAbort));
}
