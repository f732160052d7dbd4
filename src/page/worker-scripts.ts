import type { PageOptions } from "./page-options.ts";
import type { WorkerLinksOptions, WorkerScripts } from "./worker-links.ts";

/** Which workers may carry a page's links, as its options say it. */
export interface WorkerCarrying extends Pick<WorkerLinksOptions, "hurry"> {
  readonly worker: PageOptions["worker"] | undefined;
  readonly serviceWorker: string | undefined;
}

/** Where the scripts of those workers are. */
export function scriptsOf({ worker, serviceWorker }: Omit<WorkerCarrying, "hurry">): WorkerScripts {
  return worker === "auto"
    ? { sharedUrl: "/pagewire-worker.js", serviceUrl: serviceWorker ?? "/pagewire-service-worker.js" }
    : { sharedUrl: worker || undefined, serviceUrl: serviceWorker };
}
