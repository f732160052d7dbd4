// The requests of a remote core's callers, checked before anything is sent.
import { messageOf } from "../../wire/index.ts";
import type { Json } from "../../wire/index.ts";
import { abortedError } from "./client-calls.ts";
import type { AckOptions, Call, CallMessage, ClientCalls } from "./client-calls.ts";
import { copyJson } from "./copy-json.ts";
import type { DeclaredNames } from "./names.ts";
import type { RemoteCoreProxyOptions } from "./remote-core-proxy-options.ts";
import { remoteError } from "./remote-error.ts";

export interface ClientRequests {
  set(name: string, value: unknown): void;
  setWithAck(name: string, value: unknown, options?: AckOptions): Promise<void>;
  invoke(name: string, args: readonly unknown[], options?: AckOptions): Promise<unknown>;
  /** A command that is the connection's, not the core's. */
  command(name: string, args: readonly unknown[]): Promise<unknown>;
}

export interface ClientRequestsOptions {
  readonly names: DeclaredNames;
  readonly calls: ClientCalls;
  readonly options: RemoteCoreProxyOptions;
  /** Why nothing can be asked at all. */
  readonly obstacle: () => Error | undefined;
  /** Whether the server has given its first answer. */
  readonly isSynced: () => boolean;
  /** Sends a new call, unless it has to wait. */
  readonly start: (call: Call) => void;
}

export function createClientRequests(parts: ClientRequestsOptions): ClientRequests {
  const { names, calls, options, obstacle, isSynced, start } = parts;
  const { maxPendingInvocations = 1024, maxPreSyncQueue = 1024, logger = console } = options;

  function check(): void {
    const problem = obstacle();
    if (problem) throw problem;
    if (isSynced()) {
      if (calls.size < maxPendingInvocations) return;
      throw remoteError("PAGEWIRE_TOO_MANY_CALLS", `${calls.size} calls are unanswered (limit maxPendingInvocations).`);
    }
    if (calls.waiting < maxPreSyncQueue) return;
    throw remoteError(
      "WC_BINDABLE_PRE_SYNC_QUEUE_FULL",
      `${calls.waiting} calls wait already (limit maxPreSyncQueue).`,
    );
  }

  function checkName(kind: "inputs" | "commands", name: string): void {
    if (names[kind].has(name)) return;
    const code = kind === "inputs" ? "WC_BINDABLE_UNDECLARED_INPUT" : "WC_BINDABLE_UNDECLARED_COMMAND";
    throw remoteError(code, `"${name}" is not among the declared ${kind}.`);
  }

  async function ask(
    message: CallMessage,
    { timeoutMs = options.timeoutMs ?? 30_000, signal }: AckOptions,
  ): Promise<unknown> {
    check();
    if (typeof timeoutMs !== "number" || !(timeoutMs >= 0 && timeoutMs < Infinity)) {
      const text = `timeoutMs must be zero or more, not ${String(timeoutMs)}.`;
      throw remoteError("WC_BINDABLE_INVALID_ACK_OPTIONS", text, { name: "RangeError" });
    }
    if (signal?.aborted) throw abortedError(signal);
    const { call, answer } = calls.ask(message, { timeoutMs, ...(signal && { signal }) });
    start(call);
    return answer;
  }

  async function command(name: string, args: readonly unknown[], ackOptions: AckOptions = {}): Promise<unknown> {
    // Trailing undefined arguments are left out: JSON could only send null.
    const given = args.slice(0, args.findLastIndex((item) => item !== undefined) + 1);
    return ask({ type: "cmd", name, id: "", args: given.map((item): Json => copyJson(item)) }, ackOptions);
  }

  return {
    set(name, value) {
      check();
      checkName("inputs", name);
      const call = calls.add({ type: "set", name, value: copyJson(value) }, (outcome) => {
        if ("error" in outcome) logger.warn(`The input "${name}" was not set: ${messageOf(outcome.error)}`);
      });
      start(call);
      const problem = obstacle();
      if (problem) throw problem;
    },
    async setWithAck(name, value, ackOptions = {}) {
      checkName("inputs", name);
      await ask({ type: "set", name, value: copyJson(value), id: "" }, ackOptions);
    },
    async invoke(name, args, ackOptions) {
      checkName("commands", name);
      return command(name, args, ackOptions);
    },
    command,
  };
}
