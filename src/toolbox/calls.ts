import type { OnError } from "../wire/index.ts";
import type { CallContext } from "./context.ts";
import type { Entry } from "./entry.ts";
import type { CheckResult } from "./mcp-result.ts";
import type { Registry } from "./registry.ts";
import type { Toolbox } from "./toolbox.ts";
import type { ToolboxLimits } from "./toolbox-limits.ts";
import type { LoadValidator } from "./validate-json.ts";

/** The calls of a toolbox. */
export type Calls = Pick<Toolbox, "callTool" | "readResource" | "getPrompt" | "complete">;

/** Where calls find what is registered. */
export type Registered = Pick<Registry<Entry>, "get" | "all">;

/** What was found for a call of anything but a tool. */
export interface OfferHandler {
  execute(context: CallContext): unknown;
  /** The MCP result that the handler's answer stands for; throws where it is none. */
  resultOf(answer: unknown): unknown;
  /** Checks what only results of this kind have. */
  readonly check?: CheckResult;
}

/** What calls need of the toolbox that they belong to. */
export interface CallNeeds {
  readonly registered: Registered;
  readonly limits: ToolboxLimits;
  readonly loadValidator: LoadValidator;
  readonly onError: OnError;
}

export type MakeCalls = (needs: CallNeeds) => Calls;

/**
 * Gets what runs calls when the first one comes; `async () => makeCalls` has it from the start.
 * A rejection is told to the caller, and the next call tries again.
 */
export type LoadCalls = () => Promise<MakeCalls>;
