// Opens the page's links through a worker. The code for that is loaded with the first link.
import { messageOf } from "../../wire/index.ts";
import type { PageEnvironment } from "../browser/environment.ts";
import type { WorkerCarrying, WorkerLinks, WorkerPart } from "./worker-links.ts";

export interface CarriedLinks {
  /** The page's environment, except that a worker opens its links. */
  readonly environment: PageEnvironment;
  /** Closes the link and releases the worker, even one still being looked for. The next link finds it again. */
  leave(): void;
}

interface CarryLinksOptions extends WorkerCarrying {
  readonly environment: PageEnvironment;
  readonly load: () => Promise<WorkerPart>;
}

export function carryLinks({ environment, load, ...options }: CarryLinksOptions): CarriedLinks {
  let links: WorkerLinks | undefined;
  let starting: Promise<WorkerLinks> | undefined;
  let via = environment.via();

  return {
    environment: {
      ...environment,
      via: () => links?.via ?? via,
      async openLink(url, limits) {
        try {
          links = await (starting ??= load().then((part) => part.startWorkerLinks(options)));
        } catch (error) {
          // A hub that refuses this page also refuses to serve this code, and sends its reason over a socket.
          starting = undefined;
          via = { ...via, reason: `worker: ${messageOf(error)}` };
        }
        return (links ?? environment).openLink(url, limits);
      },
    },
    // If the code could not be loaded, there is no worker to release.
    leave: () =>
      void starting?.then(
        ({ leave }) => leave(),
        () => {},
      ),
  };
}
