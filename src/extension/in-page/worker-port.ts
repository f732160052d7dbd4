// The page's end of the port to the worker. The browser stops the worker when it likes: the port is then opened again.
import { systemClock } from "../../link/index.ts";
import type { Link } from "../../link/index.ts";
import type { ExtensionApi, RuntimePort } from "../browser-api.ts";
import { pagePort } from "../messages.ts";
import type { FromPage, ToPage } from "../messages.ts";
import { createPageLinks } from "../port/port-links.ts";
import { parseToPage } from "../port/parse-messages.ts";

export type ContentRuntime = Pick<ExtensionApi["runtime"], "id" | "connect">;

export interface WorkerPort {
  openLink(): Promise<Link>;
  /** False if the port is away; it is not kept. */
  post(message: FromPage): boolean;
  close(): void;
}

export interface WorkerPortOptions {
  readonly runtime: ContentRuntime;
  take(message: Exclude<ToPage, { readonly link: number }>): void;
  /** The extension was removed or updated: this script can do nothing any more. */
  gone(): void;
}

const firstWait = 100;
const longestWait = 30_000;

export function openWorkerPort({ runtime, take, gone }: WorkerPortOptions): WorkerPort {
  let port: RuntimePort | undefined;
  /** The worker listens to a port once it has answered with the settings. */
  let isHeard = false;
  let attempt = 0;
  let isClosed = false;
  let stopTimer = () => {};
  let links = createPageLinks(post);

  function post(message: FromPage): void {
    if (!port || !isHeard) throw new Error("the extension's worker is starting");
    port.postMessage(message);
  }

  function open(): void {
    if (isClosed) return;
    let opened: RuntimePort;
    try {
      if (runtime.id === undefined) return end();
      opened = runtime.connect({ name: pagePort });
    } catch {
      // The extension's context is not valid any more.
      return end();
    }
    port = opened;
    isHeard = false;
    links = createPageLinks(post);
    opened.onMessage.addListener((given) => {
      const message = parseToPage(given);
      if (!message || port !== opened) return;
      attempt = 0;
      isHeard = true;
      if ("link" in message) links.take(message);
      else take(message);
    });
    opened.onDisconnect.addListener(() => {
      if (port !== opened) return;
      port = undefined;
      links.end();
      if (isClosed) return;
      if (runtime.id === undefined) return end();
      stopTimer = systemClock.after(Math.min(longestWait, firstWait * 2 ** attempt++ - firstWait), open);
    });
  }

  function end(): void {
    close();
    gone();
  }

  function close(): void {
    isClosed = true;
    removeEventListener("pageshow", onShown);
    drop();
  }

  function drop(): void {
    stopTimer();
    const last = port;
    port = undefined;
    links.end();
    last?.disconnect();
  }

  /** The browser ends the port of a page that it puts aside, and does not tell the page. */
  const onShown = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return;
    drop();
    open();
  };
  addEventListener("pageshow", onShown);
  open();
  return {
    openLink: () => links.open(),
    post(message) {
      try {
        post(message);
        return true;
      } catch {
        return false;
      }
    },
    close,
  };
}
