import { messageOf } from "../../wire/index.ts";
import { connectWorker } from "./connect-worker.ts";
import type { ConnectedWorker, WorkerToFind } from "./connect-worker.ts";
import type { Via } from "../api/page.ts";
import type { WorkerPowers } from "./worker-powers.ts";

export interface WorkerSearch extends Pick<WorkerToFind, "onEnded" | "onReached"> {
  /** The addresses of the workers' scripts. */
  readonly sharedUrl: string | undefined;
  readonly serviceUrl: string | undefined;
}

export interface FoundWorker {
  /** Undefined if no worker is available. */
  readonly worker: ConnectedWorker | undefined;
  /** The transport, and why a preferred one is not available. */
  readonly via: Via;
}

/** Connects to the SharedWorker, or if that fails, to the ServiceWorker. */
export async function findWorker(
  { sharedUrl, serviceUrl, onEnded, onReached }: WorkerSearch,
  powers: WorkerPowers,
): Promise<FoundWorker> {
  const { locks } = powers;
  if (!locks) {
    const problem = "worker: Only secure pages have Web Locks, without which nobody would notice its end.";
    return { worker: undefined, via: viaOf("socket", [problem]) };
  }
  const problems: string[] = [];
  const urls = [
    ["shared-worker", sharedUrl],
    ["service-worker", serviceUrl],
  ] as const;
  for (const [kind, url] of urls) {
    if (url === undefined) continue;
    try {
      const worker = await connectWorker({ kind, url, locks, onEnded, onReached }, powers);
      return { worker, via: viaOf(kind, problems) };
    } catch (error) {
      problems.push(`${kind}: ${messageOf(error)}`);
    }
  }
  return { worker: undefined, via: viaOf("socket", problems) };
}

/** A transport, and why the preferred ones failed. */
export function viaOf(kind: Via["kind"], problems: readonly (string | undefined)[]): Via {
  const reason = problems.filter((problem) => problem !== undefined).join(" ");
  return reason === "" ? { kind } : { kind, reason };
}
