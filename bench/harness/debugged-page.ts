// A page in Chromium that is driven and measured by the debugger's protocol.
import { once } from "node:events";
import { WebSocket } from "ws";
import type { ScriptCoverage } from "../hops/touched.ts";

export interface DebuggedPage {
  evaluate(expression: string): Promise<void>;
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
  let count = 0;
  socket.on("message", (data: Buffer) => {
    const reply = JSON.parse(data.toString()) as Reply;
    if (reply.id !== undefined) pending.get(reply.id)?.(reply);
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

  return {
    async startCoverage() {
      await ask("Profiler.enable");
      await ask("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    },
    async evaluate(expression) {
      const { exceptionDetails } = (await ask("Runtime.evaluate", { expression, awaitPromise: true })) as {
        readonly exceptionDetails?: unknown;
      };
      if (exceptionDetails !== undefined) throw new Error(`The page threw: ${JSON.stringify(exceptionDetails)}`);
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
