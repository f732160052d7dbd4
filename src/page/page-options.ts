import { logError } from "../toolbox/index.ts";
import type { ToolDefinition } from "../toolbox/index.ts";
import { PagewireError, fillInLimits, pageLimits } from "../wire/index.ts";
import type { OnError, PageLimits } from "../wire/index.ts";
import type { PageToken } from "./page.ts";
import type { WorkerScripts } from "./worker-links.ts";

export interface PageOptions {
  /** What this app calls itself, the same in all its tabs. */
  readonly app: string;
  /** The hub's address; by default this computer's. */
  readonly hub?: string;
  /**
   * A token that the app's own server signed, or how to get a fresh one; needed where the hub asks for it. With null or
   * "" nobody is signed in: the page offers nothing until `setToken`. A function is asked at each new connection, and
   * only then: it gets the tokens of one person. When another signs in, the page must be told with `setToken`.
   */
  readonly token?: PageToken;
  /**
   * The address of a SharedWorker's script at this page's origin, through which all its tabs share one connection;
   * "auto" for /pagewire-worker.js and /pagewire-service-worker.js. Where no worker can be had the page connects by
   * itself, as it does without.
   */
  readonly worker?: string | false;
  /** The address of a ServiceWorker's script, for browsers that have no SharedWorker. */
  readonly serviceWorker?: string;
  readonly tools?: readonly ToolDefinition[];
  readonly limits?: Partial<PageLimits>;
  /** Hears of failures in the background; they go to the console by default. */
  readonly onError?: OnError;
}

interface CheckedOptions extends PageOptions {
  readonly hub: string;
  /** Where the scripts of workers are, if there shall be one. */
  readonly scripts: WorkerScripts | undefined;
  readonly limits: PageLimits;
  readonly onError: OnError;
}

/** The address that `pagewire` listens on when nothing else is said. */
export const defaultHub = "http://127.0.0.1:7337";

/** The options with their defaults; throws where one has the wrong form. */
export function checkOptions(options: PageOptions): CheckedOptions {
  const { app, hub = defaultHub, limits, onError = logError } = options;
  if (typeof app !== "string" || app.trim() === "" || app.length > 128) {
    throw invalid("app", 'a name of 1 to 128 characters, such as "shop"');
  }
  if (!/^https?:\/\/[^\s/?#@]+\/?$/.test(hub)) throw invalid("hub", `an address such as ${defaultHub}`);
  if (options.worker !== false) checkScript("worker", options.worker);
  checkScript("serviceWorker", options.serviceWorker);
  return {
    ...options,
    hub: hub.replace(/\/$/, ""),
    scripts: scriptsOf(options),
    limits: fillInLimits(pageLimits, limits),
    onError,
  };
}

function scriptsOf({ worker, serviceWorker }: PageOptions): WorkerScripts | undefined {
  if (worker === "auto") {
    return { sharedUrl: "/pagewire-worker.js", serviceUrl: serviceWorker ?? "/pagewire-service-worker.js" };
  }
  return worker || serviceWorker ? { sharedUrl: worker || undefined, serviceUrl: serviceWorker } : undefined;
}

function checkScript(name: "worker" | "serviceWorker", url: unknown): void {
  if (url === undefined || (typeof url === "string" && url.trim() !== "")) return;
  throw invalid(name, "the address of a script at this page's origin");
}

function invalid(name: string, form: string): PagewireError {
  return new PagewireError("options-invalid", `The option "${name}" must be ${form}.`);
}
