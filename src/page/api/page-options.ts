import { logError } from "../../toolbox/index.ts";
import type { ToolDefinition } from "../../toolbox/index.ts";
import { PagewireError, fillInLimits, pageLimits } from "../../wire/index.ts";
import type { OnError, PageLimits } from "../../wire/index.ts";
import type { PageToken } from "./page.ts";

export interface PageOptions {
  /** The app's name, the same in all its tabs. */
  readonly app: string;
  /** The hub's address; by default this computer's. */
  readonly hub?: string;
  /**
   * A token that the app's own server signed, or a function that gets a fresh one; required if the hub requires tokens.
   * With null or "" the user is anonymous: the page offers nothing until `setToken`. A function is called for each new
   * connection, and only then, so it must return tokens of the same person. Call `setToken` when another person signs
   * in.
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
  /**
   * Offers the page's tools to the browser's own agent too, through `document.modelContext` if it exists; with
   * `exposedTo` also to documents of these origins, around the page or in its frames. That agent acts for the user of
   * the browser, so it has the tools even while the user is not signed in to the hub. Off by default.
   */
  readonly native?: boolean | { readonly exposedTo?: readonly string[] };
  /**
   * Whether tools that the page's own scripts and forms registered in the browser are among the page's tools; true by
   * default. With `fromOrigins`, also tools that frames of these origins expose to this document.
   */
  readonly browserTools?: boolean | { readonly fromOrigins?: readonly string[] };
  readonly limits?: Partial<PageLimits>;
  /** Receives failures in the background; they go to the console by default. */
  readonly onError?: OnError;
}

export interface CheckedOptions extends PageOptions {
  readonly hub: string;
  readonly limits: PageLimits;
  readonly onError: OnError;
}

/** The address that `pagewire` listens on by default. */
export const defaultHub = "http://127.0.0.1:7337";

/** Fills in the defaults; throws if an option is malformed. */
export function checkOptions(options: PageOptions): CheckedOptions {
  const { app, hub = defaultHub, worker, serviceWorker, native, browserTools, limits, onError = logError } = options;
  demand("app", saysSomething(app) && app.length <= 128, 'a name of 1 to 128 characters, such as "shop"');
  demand("hub", /^https?:\/\/[^\s/?#@]+\/?$/.test(hub), `an address such as ${defaultHub}`);
  demand("worker", worker === false || worker === undefined || saysSomething(worker), script);
  demand("serviceWorker", serviceWorker === undefined || saysSomething(serviceWorker), script);
  demandWish("native", native, "exposedTo");
  demandWish("browserTools", browserTools, "fromOrigins");
  return {
    ...options,
    hub: hub.replace(/\/$/, ""),
    limits: fillInLimits(pageLimits, limits),
    onError,
  };
}

const script = "the address of a script at this page's origin";

function saysSomething(text: unknown): text is string {
  return typeof text === "string" && text.trim() !== "";
}

/** A boolean, or true with a list of origins. */
function demandWish(name: string, given: unknown = true, field: string): void {
  const { [field]: origins = [] } = Object(given) as Record<string, unknown>;
  const isSo = /boolean|object/.test(typeof given) && Array.isArray(origins);
  demand(name, isSo, `true, false or { ${field}: [origins] }`);
}

function demand(name: string, isSo: boolean, form: string): void {
  if (!isSo) throw new PagewireError("options-invalid", `The option "${name}" must be ${form}.`);
}
