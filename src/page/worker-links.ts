// Links to a hub that a worker of the page's origin carries: a SharedWorker, else a ServiceWorker, else a socket of the
// page's own. A worker that died or hangs is noticed, its link ends, and the next link finds another one.
import type { Link } from "../link/index.ts";
import { cutOff } from "../wire/index.ts";
import type { PageLimits } from "../wire/index.ts";
import type { ConnectedWorker } from "./connect-worker.ts";
import { findWorker } from "./find-worker.ts";
import type { WorkerSearch } from "./find-worker.ts";
import type { Via } from "./page.ts";
import type { WorkerPowers } from "./worker-powers.ts";

export interface WorkerLinks {
  /** How the last link is carried, or was. */
  readonly via: Via;
  openLink(url: string, limits: PageLimits): Promise<Link>;
  /** Ends the link and lets go of the worker; the next link finds it again. */
  leave(): void;
}

/** Where the scripts of the workers are. */
export type WorkerScripts = Pick<WorkerSearch, "sharedUrl" | "serviceUrl">;

export interface WorkerLinksOptions {
  readonly scripts: WorkerScripts;
  /** Called after the end of a link whose worker died: there is no need to wait with the next one. */
  readonly onLost: () => void;
}

/** Workers that end one after the other, with no more time between them, are not found again at once. */
const row = 1000;

export function createWorkerLinks({ scripts, onLost }: WorkerLinksOptions, powers: WorkerPowers): WorkerLinks {
  const { clock, openSocket } = powers;
  let worker: Promise<ConnectedWorker | undefined> | undefined;
  let lostAt = -Infinity;
  let via: Via = { kind: "socket" };
  let link: Link | undefined;

  async function find(): Promise<ConnectedWorker | undefined> {
    const found = await findWorker({ ...scripts, onEnded }, powers);
    via = found.via;
    return found.worker;
  }

  function onEnded(): void {
    worker = undefined;
    link?.close(cutOff);
    // The link's user hears of its end in a microtask that comes before this one.
    if (clock.now() - lostAt > row) queueMicrotask(onLost);
    lostAt = clock.now();
  }

  return {
    get via() {
      return via;
    },
    async openLink(url, limits) {
      const found = await (worker ??= find());
      link = await (found ? found.open(url) : openSocket(url, limits));
      return link;
    },
    leave() {
      void worker?.then((found) => found?.leave());
      worker = undefined;
      link?.close(cutOff);
    },
  };
}
