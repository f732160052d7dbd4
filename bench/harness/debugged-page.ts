// A page in Chromium that is driven and measured by the debugger's protocol.
import { once } from "node:events";
import { WebSocket } from "ws";
import type { ScriptCoverage } from "../hops/touched.ts";

export interface DebuggedPage {
  evaluate(expression: string): Promise<void>;
  /** The value of an expression, or of its promise, as JSON has it. */
  read<Value>(expression: string): Promise<Value>;
  /** Begins to record the tasks of its main thread; the returned function ends that, and has the time of each on the CPU, in ms. */
  recordTasks(): Promise<() => Promise<readonly number[]>>;
  /** The bytes of its heap after a garbage collection. */
  heap(): Promise<number>;
  startCoverage(): Promise<void>;
  /** The code that ran since the last call. */
  takeCoverage(): Promise<readonly ScriptCoverage[]>;
  close(): void;
}

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Attaches to the page with this address, in the browser whose debugger is at this one. */
export async function debugPage(browser: string, page: string): Promise<DebuggedPage> {
  const targets = (await (await fetch(`${browser}/json/list`)).json()) as readonly Target[];
  const target = targets.find(({ url }) => url.startsWith(page));
  if (!target) throw new Error(`The browser has no page ${page}.`);
  const socket = new WebSocket(target.webSocketDebuggerUrl, { perMessageDeflate: false });
  await once(socket, "open");
  const pending = new Map<number, (reply: Reply) => void>();
  const trace: TraceEvent[] = [];
  let traced = () => {};
  let count = 0;
  socket.on("message", (data: Buffer) => {
    const reply = JSON.parse(data.toString()) as Reply & TraceMessage;
    if (reply.id !== undefined) pending.get(reply.id)?.(reply);
    else if (reply.method === "Tracing.dataCollected") trace.push(...(reply.params?.value ?? []).filter(isOfInterest));
    else if (reply.method === "Tracing.tracingComplete") traced();
  });

  async function ask(method: string, params: object = {}): Promise<unknown> {
    const id = ++count;
    const { result, error } = await new Promise<Reply>((resolve) => {
      pending.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
    pending.delete(id);
    if (error !== undefined) throw new Error(`The browser refused ${method}: ${JSON.stringify(error)}`);
    return result;
  }

  async function read<Value>(expression: string): Promise<Value> {
    const { result, exceptionDetails } = (await ask("Runtime.evaluate", {
      ...{ expression, awaitPromise: true, returnByValue: true },
    })) as { readonly result?: { readonly value?: Value }; readonly exceptionDetails?: unknown };
    if (exceptionDetails !== undefined) throw new Error(`The page threw: ${JSON.stringify(exceptionDetails)}`);
    return result?.value as Value;
  }

  return {
    async startCoverage() {
      await ask("Profiler.enable");
      await ask("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    },
    async evaluate(expression) {
      await read(expression);
    },
    read,
    async recordTasks() {
      trace.length = 0;
      await ask("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["toplevel"] } });
      return async () => {
        const complete = new Promise<void>((resolve) => (traced = resolve));
        await ask("Tracing.end");
        await complete;
        return tasksOf(trace.splice(0));
      };
    },
    async heap() {
      await ask("HeapProfiler.collectGarbage");
      return ((await ask("Runtime.getHeapUsage")) as { readonly usedSize: number }).usedSize;
    },
    async takeCoverage() {
      return ((await ask("Profiler.takePreciseCoverage")) as { readonly result: readonly ScriptCoverage[] }).result;
    },
    close: () => socket.terminate(),
  };
}

interface Target {
  readonly url: string;
  readonly webSocketDebuggerUrl: string;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** The time of the thread that the event took, in µs. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

interface TraceMessage {
  readonly method?: string;
  readonly params?: { readonly value?: readonly TraceEvent[] };
}

/** A shorter task is not worth to be kept. */
const leastTask = 5000;

function isOfInterest({ name, tdur = 0 }: TraceEvent): boolean {
  return name === "thread_name" || (name.endsWith("RunTask") && tdur >= leastTask);
}

/** Of the main threads of pages; a browser with one page may have a spare one that does nothing. */
function tasksOf(events: readonly TraceEvent[]): readonly number[] {
  const names = events.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain");
  const threads = new Set(names.map(({ pid, tid }) => `${pid} ${tid}`));
  return events.flatMap(({ pid, tid, tdur }) =>
    tdur !== undefined && threads.has(`${pid} ${tid}`) ? [tdur / 1000] : [],
  );
}
