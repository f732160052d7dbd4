// Links to a hub that a worker of the page's origin carries: a SharedWorker, else a ServiceWorker, else a socket of the
// page's own. A worker that died or hangs is noticed, its link ends, and the next link finds another one.
import type { Link } from "../link/index.ts";
import { cutOff, messageOf } from "../wire/index.ts";
import type { PageLimits } from "../wire/index.ts";
import { connectWorker } from "./connect-worker.ts";
import type { ConnectedWorker } from "./connect-worker.ts";
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
export interface WorkerScripts {
  readonly sharedUrl: string | undefined;
  readonly serviceUrl: string | undefined;
}

export interface WorkerLinksOptions {
  readonly scripts: WorkerScripts;
  /** Called after the end of a link whose worker died: there is no need to wait with the next one. */
  readonly onLost: () => void;
}

/** Workers that end one after the other, with no more time between them, are not found again at once. */
const row = 1000;

export function createWorkerLinks({ scripts, onLost }: WorkerLinksOptions, powers: WorkerPowers): WorkerLinks {
  const { clock, locks, openSocket } = powers;
  let worker: Promise<ConnectedWorker | undefined> | undefined;
  let lostAt = -Infinity;
  let via: Via = { kind: "socket" };
  let link: Link | undefined;

  async function find(): Promise<ConnectedWorker | undefined> {
    if (!locks) {
      via = viaOf("socket", ["worker: Only secure pages have Web Locks, without which nobody would notice its end."]);
      return undefined;
    }
    const problems: string[] = [];
    const urls = [
      ["shared-worker", scripts.sharedUrl],
      ["service-worker", scripts.serviceUrl],
    ] as const;
    for (const [kind, url] of urls) {
      if (url === undefined) continue;
      try {
        const found = await connectWorker({ kind, url, locks, onEnded }, powers);
        via = viaOf(kind, problems);
        return found;
      } catch (error) {
        problems.push(`${kind}: ${messageOf(error)}`);
      }
    }
    via = viaOf("socket", problems);
    return undefined;
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

function viaOf(kind: Via["kind"], problems: readonly string[]): Via {
  return problems.length === 0 ? { kind } : { kind, reason: problems.join(" ") };
}
