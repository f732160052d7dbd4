import type { Clock } from "../../link/index.ts";
import type { AgentSession, CallRequest } from "../../switchboard/index.ts";
import { identifierPattern, isJsonObject } from "../../wire/index.ts";
import type { JsonObject, SwitchboardLimits, Outcome } from "../../wire/index.ts";
import { RpcError } from "./rpc.ts";

export interface ToolCall {
  readonly params: JsonObject;
  readonly agent: AgentSession;
  readonly clock: Clock;
  readonly limits: SwitchboardLimits;
  readonly notify: (method: string, params: JsonObject) => void;
  /** Hears how to cancel the call, as soon as it runs. */
  readonly onStarted: (cancel: (reason?: string) => void) => void;
}

/** Calls the tool that a request's parameters name; throws where they are malformed. */
export function callTool({ params, agent, clock, limits, notify, onStarted }: ToolCall): Promise<Outcome> {
  const request = parseCall(params, limits);
  const progress = createProgress(params, { clock, notify, every: limits.progressTime });
  return new Promise((resolve) => {
    const { cancel } = agent.call(request, {
      ended(outcome) {
        progress.stop();
        resolve(outcome);
      },
      progress: progress.tell,
    });
    onStarted(cancel);
  });
}

function parseCall(params: JsonObject, limits: SwitchboardLimits): CallRequest {
  const { name, arguments: given = {} } = params;
  if (typeof name !== "string") throw new RpcError("invalid-params", 'A tools/call needs a "name", which is a string.');
  if (!isJsonObject(given)) throw new RpcError("invalid-params", `The arguments of "${name}" must be an object.`);
  const text = textOf(given, name);
  if (text.length > limits.frameBytes - limits.headerBytes) {
    throw new RpcError("invalid-params", `The arguments of "${name}" are larger than the limit frameBytes allows.`);
  }
  return { method: "tools/call", name, arguments: text, key: keyIn(params), left: limits.callTimeMost };
}

/** A port carries more than JSON can say. */
function textOf(given: JsonObject, name: string): string {
  try {
    return JSON.stringify(given);
  } catch {
    throw new RpcError("invalid-params", `The arguments of "${name}" hold something that JSON cannot.`);
  }
}

/** The key under which a call runs once: in the form that is proposed for MCP, or as our own mark. */
function keyIn({ idempotencyKey, _meta }: JsonObject): string | undefined {
  const key = idempotencyKey ?? (isJsonObject(_meta) ? _meta["pagewire/idempotencyKey"] : undefined);
  if (key === undefined || (typeof key === "string" && identifierPattern.test(key))) return key;
  throw new RpcError("invalid-params", "The idempotency key must be 1 to 128 printable characters without spaces.");
}

interface ProgressOptions extends Pick<ToolCall, "clock" | "notify"> {
  /** Milliseconds without a word after which there is a sign of life. */
  readonly every: number;
}

interface Progress {
  tell(progress: number, total: number | undefined, message: string | undefined): void;
  stop(): void;
}

/** What a sign of life adds: each value must be greater than the one before. */
const tiny = 0.0001;

/** Tells a client how far a call is, if it asked to be told. */
function createProgress({ _meta }: JsonObject, { clock, notify, every }: ProgressOptions): Progress {
  const token = isJsonObject(_meta) ? _meta["progressToken"] : undefined;
  if (token === undefined) return { tell: () => {}, stop: () => {} };
  let last = -tiny;
  let stop = () => {};

  function tell(progress: number, total?: number, message?: string): void {
    last = progress > last ? progress : last + tiny;
    const told = { ...(total === undefined ? {} : { total }), ...(message === undefined ? {} : { message }) };
    notify("notifications/progress", { progressToken: token ?? null, progress: last, ...told });
    wait();
  }

  function wait(): void {
    stop();
    stop = clock.after(every, () => tell(last + tiny, undefined, "The tab is still working on it."));
  }

  wait();
  return { tell, stop: () => stop() };
}
