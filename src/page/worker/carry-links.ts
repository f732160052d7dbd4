// Has a worker carry a page's links. What that takes is loaded with the first of them.
import { messageOf } from "../../wire/index.ts";
import type { PageEnvironment } from "../browser/environment.ts";
import type { WorkerCarrying, WorkerLinks, WorkerPart } from "./worker-links.ts";

export interface CarriedLinks {
  /** The page's environment, but for how its links are made. */
  readonly environment: PageEnvironment;
  /** Ends the link and lets go of the worker, also of one that is only about to be found; the next link finds it again. */
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
          // A hub that refuses this page lets it load nothing either, and says why over a socket.
          starting = undefined;
          via = { ...via, reason: `worker: ${messageOf(error)}` };
        }
        return (links ?? environment).openLink(url, limits);
      },
    },
    // Where nothing could be loaded there is nothing to leave.
    leave: () =>
      void starting?.then(
        ({ leave }) => leave(),
        () => {},
      ),
  };
}
