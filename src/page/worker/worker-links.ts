// Links to a hub that a worker of the page's origin carries: a SharedWorker, else a ServiceWorker, else a socket of the
// page's own. A worker that died or hangs is noticed, its link ends, and the next link finds another one. Where the worker
// cannot reach the hub the page tries by itself, and has the worker carry the next link if it can by then.
import type { Link } from "../../link/index.ts";
import { PagewireError, cutOff, messageOf } from "../../wire/index.ts";
import type { PageLimits } from "../../wire/index.ts";
import { findWorker, viaOf } from "./find-worker.ts";
import type { FoundWorker, WorkerSearch } from "./find-worker.ts";
import type { Via } from "../api/page.ts";
import type { PageOptions } from "../api/page-options.ts";
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
  /** There is no need to wait with the next link: the worker of the last one died, or has just reached the hub again. */
  readonly hurry: () => void;
}

/** Which workers may carry a page's links, as its options say it. */
export interface WorkerCarrying extends Pick<WorkerLinksOptions, "hurry"> {
  readonly worker: PageOptions["worker"] | undefined;
  readonly serviceWorker: string | undefined;
}

/** Links that a worker carries. */
export interface WorkerPart {
  startWorkerLinks(options: WorkerCarrying): WorkerLinks;
}

/** Workers that end one after the other, with no more time between them, are not found again at once. */
const row = 1000;

/** How long a worker has to reach the hub that the page itself has just reached. */
const secondTime = 2000;

/** A link that a worker carries, or why there is none. */
interface Carried {
  readonly link: Link | undefined;
  readonly via: Via;
  /** The worker ended meanwhile: there may be another. */
  readonly hasEnded: boolean;
  /** There is a worker, and it could not. */
  readonly hasFailed: boolean;
}

export function createWorkerLinks({ scripts, hurry }: WorkerLinksOptions, powers: WorkerPowers): WorkerLinks {
  const { clock, openSocket } = powers;
  let finding: Promise<FoundWorker> | undefined;
  let lostAt = -Infinity;
  let via: Via = { kind: "socket" };
  let link: Link | undefined;
  /** How often the page wanted another link than before, or none. */
  let turn = 0;

  function onEnded(): void {
    finding = undefined;
    if (via.kind !== "socket") link?.close(cutOff);
    // The link's user hears of its end in a microtask that comes before this one.
    if (clock.now() - lostAt > row) queueMicrotask(hurry);
    lostAt = clock.now();
  }

  async function carry(url: string, within?: number): Promise<Carried> {
    const search = (finding ??= findWorker({ ...scripts, onEnded, onReached: hurry }, powers));
    const found = await search;
    if (!found.worker) return { ...none, via: found.via };
    try {
      return { ...none, link: await found.worker.open(url, within), via: found.via };
    } catch (error) {
      const hasEnded = search !== finding;
      const problem = `${found.via.kind}: ${messageOf(error)}${hasEnded ? "" : butThePage}`;
      return { ...none, via: viaOf("socket", [found.via.reason, problem]), hasEnded, hasFailed: !hasEnded };
    }
  }

  return {
    get via() {
      return via;
    },
    async openLink(url, limits) {
      const mine = ++turn;
      let carried = await carry(url);
      if (carried.hasEnded && mine === turn) carried = await carry(url);
      // Browsers ask for some permissions, and tell of them, only where the page opens the socket itself.
      let made = carried.link ?? (mine === turn ? await openSocket(url, limits) : undefined);
      // It may be that the hub was away for a moment, or that it took the permission: then the worker reaches it now.
      if (carried.hasFailed && mine === turn) {
        const again = await carry(url, secondTime);
        if (again.link) {
          made?.close(cutOff);
          made = again.link;
          carried = again;
        }
      }
      if (mine !== turn || !made) {
        made?.close(cutOff);
        throw new PagewireError("tab-suspended", "The page does not want this link any more.");
      }
      link = made;
      ({ via } = carried);
      return made;
    },
    leave() {
      turn++;
      void finding?.then(({ worker }) => worker?.leave());
      finding = undefined;
      link?.close(cutOff);
    },
  };
}

const none = { link: undefined, hasEnded: false, hasFailed: false };

const butThePage =
  " But the page could open a socket: look at the Content-Security-Policy that the worker's script is served with.";

/** Where the scripts of those workers are. */
export function scriptsOf({ worker, serviceWorker }: Omit<WorkerCarrying, "hurry">): WorkerScripts {
  return worker === "auto"
    ? { sharedUrl: "/pagewire-worker.js", serviceUrl: serviceWorker ?? "/pagewire-service-worker.js" }
    : { sharedUrl: worker || undefined, serviceUrl: serviceWorker };
}
