// Asks a browser by its debugger's protocol how much its SharedWorker holds; workers cannot say so themselves.
import { once } from "node:events";
import { WebSocket } from "ws";
import { debuggerAddress } from "./debugger-address.ts";

/** How long the debugger may take, in milliseconds. */
const patience = 15_000;

interface Target {
  readonly type: string;
  readonly webSocketDebuggerUrl: string;
}

interface HeapUsage {
  readonly usedSize: number;
  readonly embedderHeapUsedSize: number;
  readonly backingStorageSize: number;
}

/** After a garbage collection, what scripts hold and what the browser holds for them, in bytes. */
export async function sharedWorkerHeap(profile: string): Promise<number> {
  const response = await fetch(`${await debuggerAddress(profile)}/json/list`);
  const workers = ((await response.json()) as readonly Target[]).filter(({ type }) => type === "shared_worker");
  const [worker] = workers;
  if (!worker || workers.length > 1) throw new Error(`There should be one SharedWorker, not ${workers.length}.`);
  const socket = new WebSocket(worker.webSocketDebuggerUrl, { perMessageDeflate: false });
  const stopWaiting = setTimeout(() => socket.terminate(), patience);
  try {
    await once(socket, "open");
    await ask(socket, 1, "HeapProfiler.collectGarbage");
    const usage = (await ask(socket, 2, "Runtime.getHeapUsage")) as HeapUsage;
    return usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize;
  } finally {
    clearTimeout(stopWaiting);
    socket.terminate();
  }
}

function ask(socket: WebSocket, id: number, method: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    socket.on("close", () => reject(new Error(`The debugger did not answer ${method}.`)));
    socket.on("message", (data: Buffer) => {
      const answer = JSON.parse(data.toString()) as { readonly id?: number; readonly result?: unknown };
      if (answer.id !== id) return;
      if (answer.result === undefined) return reject(new Error(`The debugger refused ${method}: ${data.toString()}`));
      resolve(answer.result);
    });
    socket.send(JSON.stringify({ id, method }));
  });
}
