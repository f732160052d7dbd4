// Links to a hub through a worker of the page's origin: a SharedWorker, else a ServiceWorker, else the page's own
// socket. If the worker dies or hangs, its link closes, and the next link finds another worker. If the worker cannot
// reach the hub, the page tries by itself, and the next connection tries the worker again.
import type { Link } from "../../link/index.ts";
import { PagewireError, cutOff, messageOf } from "../../wire/index.ts";
import type { PageLimits } from "../../wire/index.ts";
import { findWorker, viaOf } from "./find-worker.ts";
import type { FoundWorker, WorkerSearch } from "./find-worker.ts";
import type { Via } from "../api/page.ts";
import type { PageOptions } from "../api/page-options.ts";
import type { WorkerPowers } from "./worker-powers.ts";

export interface WorkerLinks {
  /** The transport of the last link. */
  readonly via: Via;
  openLink(url: string, limits: PageLimits): Promise<Link>;
  /** Closes the link and releases the worker; the next link finds it again. */
  leave(): void;
}

export type WorkerScripts = Pick<WorkerSearch, "sharedUrl" | "serviceUrl">;

export interface WorkerLinksOptions {
  readonly scripts: WorkerScripts;
  /** Skips the backoff: the worker of the last link died, or has just reached the hub again. */
  readonly hurry: () => void;
}

/** The page's options for workers. */
export interface WorkerCarrying extends Pick<WorkerLinksOptions, "hurry"> {
  readonly worker: PageOptions["worker"] | undefined;
  readonly serviceWorker: string | undefined;
}

/** The chunk that only pages with a worker load. */
export interface WorkerPart {
  startWorkerLinks(options: WorkerCarrying): WorkerLinks;
}

/** Workers that die within this time of each other are not replaced at once. */
const row = 1000;

/** Timeout for the worker to reach a hub that the page itself has just reached. */
const secondTime = 2000;

/** A link through a worker, or why there is none. */
interface Carried {
  readonly link: Link | undefined;
  readonly via: Via;
  /** The worker died in the meantime: there may be another. */
  readonly hasEnded: boolean;
  /** There is a worker, but it could not open the link. */
  readonly hasFailed: boolean;
}

export function createWorkerLinks({ scripts, hurry }: WorkerLinksOptions, powers: WorkerPowers): WorkerLinks {
  const { clock, openSocket } = powers;
  let finding: Promise<FoundWorker> | undefined;
  let lostAt = -Infinity;
  let via: Via = { kind: "socket" };
  let link: Link | undefined;
  /** Counts requests for a link, to detect stale ones. */
  let turn = 0;

  function onEnded(): void {
    finding = undefined;
    if (via.kind !== "socket") link?.close(cutOff);
    // The link reports its close in a microtask, which runs before this one.
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
      // Browsers prompt for some permissions, and report them, only if the page itself opens the socket.
      let made = carried.link ?? (mine === turn ? await openSocket(url, limits) : undefined);
      // The hub may have been down briefly, or the permission was missing: the worker may reach it now.
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

export function scriptsOf({ worker, serviceWorker }: Omit<WorkerCarrying, "hurry">): WorkerScripts {
  return worker === "auto"
    ? { sharedUrl: "/pagewire-worker.js", serviceUrl: serviceWorker ?? "/pagewire-service-worker.js" }
    : { sharedUrl: worker || undefined, serviceUrl: serviceWorker };
}
