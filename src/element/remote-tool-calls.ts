import type { AiToolCallState } from "../ai/index.ts";
import { partMissing } from "./part-missing.ts";
import type { ToolCallReporter, ToolCallReporterOptions } from "./tool-call-reporter.ts";

export interface RemoteToolCallsOptions extends Omit<ToolCallReporterOptions, "reportsFirst"> {
  readonly failed: (error: Error) => void;
}

export interface RemoteToolCalls {
  /** Resolves once the page has seen how far the calls are now. */
  show(calls: readonly AiToolCallState[], reportsFirst: boolean): Promise<void>;
  close(): void;
}

/** Shows a server's tool calls to the page, with code that is loaded with the first of them. */
export function createRemoteToolCalls({ failed, ...options }: RemoteToolCallsOptions): RemoteToolCalls {
  let loading: Promise<ToolCallReporter> | undefined;
  let isClosed = false;

  return {
    async show(calls, reportsFirst) {
      if (calls.length === 0 && !loading) return;
      loading ??= import("./tool-call-reporter.ts").then((part) =>
        part.createToolCallReporter({ ...options, reportsFirst }),
      );
      try {
        const reporter = await loading;
        if (!isClosed) reporter.update(calls);
      } catch (cause) {
        loading = undefined;
        failed(partMissing(cause));
      }
    },
    close() {
      isClosed = true;
      loading?.then((reporter) => reporter.close()).catch(() => undefined);
    },
  };
}
