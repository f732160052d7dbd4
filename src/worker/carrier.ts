// Forwards the links of many pages to their hubs, without reading the messages, and notices when a page is gone.
// A page may ask for any URL, because it could also open that socket itself: only pages of the worker's own origin
// reach it. The worker's connections follow the CSP that its own script was served with.
import { createPortLink } from "../link/index.ts";
import type { Clock, Link, PortLike } from "../link/index.ts";
import { closeReason, messageOf, parseWorkerMessage, toWorker, workerVersions } from "../wire/index.ts";
import type { MessageFromWorker } from "../wire/index.ts";
import type { Serving } from "./create-serving.ts";
import { createSharedSockets } from "./shared-sockets.ts";
import type { SharedSockets, SharedSocketsOptions } from "./shared-sockets.ts";

/** Sends replies to a page. */
export interface ControlPort {
  postMessage(message: MessageFromWorker): void;
}

export interface CarrierOptions extends SharedSocketsOptions {
  readonly clock: Clock;
  /** Resolves with the name of the worker's lock once it is acquired. */
  readonly lock: Promise<string>;
  /** Resolves when the lock is released. */
  readonly untilFree: (lock: string) => Promise<void>;
  /** Stops this worker, so that the next page gets a new one. A ServiceWorker is replaced by its browser. */
  readonly end?: () => void;
  /** In a worker that also serves tools: serves the forwarded pages too. */
  readonly createServing?: (options: { readonly sockets: SharedSockets }) => Serving;
}

/** Handles each message of one page, with its transferred ports. */
export type TakeMessage = (message: unknown, ports: readonly PortLike[]) => void;

export interface Carrier {
  /** Called for each new page. */
  greet(port: ControlPort): TakeMessage;
}

/** Grace period for final messages: a page's, which may arrive after its lock is released, and the worker's own. */
const lastWordsTime = 100;

const servesNobody =
  "This worker does not serve MCP clients. Use pagewire-serving-worker.js or pagewire-serving-service-worker.js, for pages and clients alike.";

export function createCarrier(options: CarrierOptions): Carrier {
  const { clock, lock, untilFree, end } = options;
  const pages = new Set<ControlPort>();
  const sockets = createSharedSockets({
    ...options,
    onReached(url) {
      for (const page of pages) page.postMessage({ type: "reached", url });
    },
  });
  const serving = options.createServing?.({ sockets });
  const carries = serving ?? sockets;

  return {
    greet(port) {
      const links = new Set<Link>();
      const gone = new AbortController();
      let greeted = false;

      function hello(versions: readonly number[], page: string): void {
        const version = workerVersions.find((one) => versions.includes(one));
        if (version === undefined) return refuse();
        greeted = true;
        pages.add(port);
        const pageIsGone = () => clock.after(lastWordsTime, letGo);
        untilFree(page).then(pageIsGone, pageIsGone);
        void lock.then((worker) => port.postMessage({ type: "hello", version, worker }));
      }

      function refuse(): void {
        port.postMessage({ type: "refused", versions: workerVersions });
        // The next page may then load a worker script of its own version.
        clock.after(lastWordsTime, () => pages.size === 0 && end?.());
      }

      function letGo(): void {
        pages.delete(port);
        for (const link of links) link.close(closeReason("going-away"));
        gone.abort();
      }

      async function carry(id: string, url: string, given: PortLike | undefined): Promise<void> {
        const link = given && createPortLink(given);
        try {
          if (!greeted || gone.signal.aborted) throw new Error("A link needs a hello first, and the page's lock.");
          if (!link) throw new Error("A link needs a port.");
          links.add(link);
          await carries.carry(url, link, () => links.delete(link));
          port.postMessage({ type: "carried", id });
        } catch (error) {
          if (link) links.delete(link);
          link?.close();
          port.postMessage({ type: "failed", id, message: messageOf(error).slice(0, 1024) });
        }
      }

      function serve(id: string, token: string | undefined, client: PortLike | undefined): void {
        const failed = (message: string) => port.postMessage({ type: "failed", id, message });
        if (!greeted || !client) return failed("A client needs a hello first, and a port.");
        if (!serving) return failed(servesNobody);
        serving.serveClient(client, token, gone.signal);
        port.postMessage({ type: "carried", id });
      }

      return (data, ports) => {
        const message = parseWorkerMessage(toWorker, data);
        switch (message?.type) {
          case "hello":
            return greeted ? undefined : hello(message.versions, message.page);
          case "carry":
            return void carry(message.id, message.url, ports[0]);
          case "mcp":
            return serve(message.id, message.token, ports[0]);
          case "ping":
            return port.postMessage({ type: "pong" });
          case undefined:
            return;
        }
      };
    },
  };
}
