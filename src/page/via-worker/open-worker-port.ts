// A port at which a worker serves an MCP client. It closes with the worker, and when the page enters the back/forward
// cache: a connected worker would keep the page out of it.
import type { PortLike } from "../../link/index.ts";
import { PagewireError, messageOf } from "../../wire/index.ts";
import { browserWorker } from "./browser-worker.ts";
import { findWorker } from "./find-worker.ts";
import type { WorkerSearch } from "./find-worker.ts";
import type { WorkerPowers } from "./worker-powers.ts";

export interface WorkerPortOptions extends Omit<WorkerSearch, "onEnded"> {
  /** The user for whom the client calls; undefined for pages without a token. */
  readonly token: string | undefined;
  /** Called once, when the port was lost. */
  readonly onEnded: (error: PagewireError) => void;
}

/** A port whose other end a worker serves. It is not started. */
export interface ServedPort {
  readonly port: PortLike;
  /** Aborts the client's calls and releases the worker. Can be called twice. */
  close(): void;
}

/** Workers, and the target of the page's `pagehide` and `pageshow` events. */
export interface PortPowers extends WorkerPowers {
  readonly events: Pick<EventTarget, "addEventListener">;
}

/** Finds the worker and opens a port to it; rejects with an error code if there is none, or it serves no clients. */
export async function openWorkerPort(
  { token, onEnded, ...scripts }: WorkerPortOptions,
  powers: PortPowers = { ...browserWorker(), events: window },
): Promise<ServedPort> {
  const { events } = powers;
  const ending = new AbortController();
  const { signal } = ending;
  let isServed = false;

  function onDied(): void {
    if (signal.aborted) return;
    const error = new PagewireError(
      "heartbeat-missed",
      "The worker died or hangs. Connect again to find the next one.",
    );
    ending.abort(error);
    if (isServed) onEnded(error);
  }

  const { worker, via } = await findWorker({ ...scripts, onEnded: onDied }, powers);
  if (!worker) throw new PagewireError("part-missing", `There is no worker for this client. ${via.reason}`);
  const port = await worker.openForClient(token).catch((problem: unknown) => {
    worker.leave();
    throw signal.aborted ? signal.reason : new PagewireError("options-invalid", messageOf(problem));
  });
  isServed = true;
  signal.addEventListener("abort", () => {
    port.postMessage({ close: true });
    port.close();
    worker.leave();
  });
  const onHidden = () => {
    ending.abort();
    // A frozen page cannot react before that.
    events.addEventListener("pageshow", () => onEnded(suspended), { once: true });
  };
  events.addEventListener("pagehide", onHidden, { signal });
  return { port, close: () => ending.abort() };
}

const suspended = new PagewireError(
  "tab-suspended",
  "The page was in the back/forward cache, where no worker serves it. Connect again.",
);
