// Has a worker carry a page's links. What that takes is loaded with the first of them.
import { messageOf } from "../wire/index.ts";
import type { WorkerPart } from "./chunks.ts";
import type { PageEnvironment } from "./environment.ts";
import type { WorkerLinks, WorkerLinksOptions } from "./worker-links.ts";

export interface CarriedLinks {
  /** The page's environment, but for how its links are made. */
  readonly environment: PageEnvironment;
  /** Ends the link and lets go of the worker; the next link finds it again. */
  leave(): void;
  /** Leaves, and finds none again. */
  close(): void;
}

interface CarryLinksOptions extends WorkerLinksOptions {
  readonly environment: PageEnvironment;
  readonly load: () => Promise<WorkerPart>;
}

export function carryLinks({ environment, load, ...options }: CarryLinksOptions): CarriedLinks {
  let links: WorkerLinks | undefined;
  let starting: Promise<WorkerLinks> | undefined;
  /** Why what it takes is not there. */
  let problem: string | undefined;
  let isClosed = false;

  async function start(): Promise<WorkerLinks | undefined> {
    try {
      links = await (starting ??= load().then((part) => part.startWorkerLinks(options)));
    } catch (error) {
      // A hub that refuses this page lets it load nothing either, and says why over a socket.
      starting = undefined;
      problem = `worker: ${messageOf(error)}`;
    }
    return links;
  }

  return {
    environment: {
      ...environment,
      via: () => links?.via ?? { kind: "socket", ...(problem !== undefined && { reason: problem }) },
      async openLink(url, limits) {
        const carrier = (await start()) ?? environment;
        if (isClosed) throw new Error("The page was closed.");
        return carrier.openLink(url, limits);
      },
    },
    leave: () => links?.leave(),
    close() {
      isClosed = true;
      links?.leave();
    },
  };
}
