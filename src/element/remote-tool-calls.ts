import type { AiToolCallState } from "../ai/index.ts";
import { partMissing } from "./part-missing.ts";
import type { ToolCallTeller, ToolCallTellerOptions } from "./tool-call-teller.ts";

export interface RemoteToolCallsOptions extends Omit<ToolCallTellerOptions, "isNews"> {
  readonly failed: (error: Error) => void;
}

export interface RemoteToolCalls {
  /** Resolves once the page has seen how far the calls are now; `isNews` as the teller has it, for the first of them. */
  show(calls: readonly AiToolCallState[], isNews: boolean): Promise<void>;
  close(): void;
}

/** Shows a server's tool calls to the page, with code that is loaded with the first of them. */
export function createRemoteToolCalls({ failed, ...options }: RemoteToolCallsOptions): RemoteToolCalls {
  let loading: Promise<ToolCallTeller> | undefined;
  let isClosed = false;

  return {
    async show(calls, isNews) {
      if (calls.length === 0 && !loading) return;
      loading ??= import("./tool-call-teller.ts").then((part) => part.createToolCallTeller({ ...options, isNews }));
      try {
        const teller = await loading;
        if (!isClosed) teller.hear(calls);
      } catch (cause) {
        loading = undefined;
        failed(partMissing(cause));
      }
    },
    close() {
      isClosed = true;
      loading?.then((teller) => teller.close()).catch(() => undefined);
    },
  };
}
