import type { PageOptions } from "../page/index.ts";
import { PagewireError } from "../wire/index.ts";

export interface ConnectionOptions {
  /** The app's name, the same in all its tabs; by default its hostname. */
  readonly app?: string;
  /** The hub's address, with ws, wss, http or https; by default this computer's. */
  readonly backendWsUrl?: string;
  /** Receives failures in the background, and why the hub refuses the page; they go to the console by default. */
  readonly onError?: NonNullable<PageOptions["onError"]>;
  /** Whether the browser's own agent is offered the tools, too, where the browser has one; true by default. */
  readonly enableWebMcp?: boolean;
}

export interface WorkerClientInitOptions extends ConnectionOptions {
  /** The address of the SharedWorker's script at this page's origin; by default /pagewire-worker.js. */
  readonly sharedWorkerUrl?: string;
  /** The address of the ServiceWorker's script; by default /pagewire-service-worker.js. */
  readonly serviceWorkerUrl?: string;
}

/** Options, or a registration whose ServiceWorker is then the only worker. */
export type InitParameters =
  | [options?: WorkerClientInitOptions]
  | [registration: ServiceWorkerRegistration, options?: ConnectionOptions];

/** Converts them to the options of a page. */
export function pageOptionsOf(...[given = {}, more = {}]: InitParameters): PageOptions {
  if ("scope" in given) return { worker: false, serviceWorker: scriptOf(given), ...connectionOf(more) };
  const {
    sharedWorkerUrl: worker = "/pagewire-worker.js",
    serviceWorkerUrl: serviceWorker = "/pagewire-service-worker.js",
    ...connection
  } = given;
  return { worker, serviceWorker, ...connectionOf(connection) };
}

/** Whether the browser's own agent is to have the tools. */
export function wantsWebMcp(...[given = {}, more = {}]: InitParameters): boolean {
  return ("scope" in given ? more : given).enableWebMcp ?? true;
}

function connectionOf({ app = appName(), backendWsUrl, onError }: ConnectionOptions): PageOptions {
  return {
    app,
    ...(backendWsUrl === undefined ? {} : { hub: hubAt(backendWsUrl) }),
    ...(onError && { onError }),
  };
}

function appName(): string {
  return location.hostname || "page";
}

function scriptOf({ active, waiting, installing }: ServiceWorkerRegistration): string {
  const worker = active ?? waiting ?? installing;
  if (!worker) throw new PagewireError("options-invalid", "The registration given to init has no ServiceWorker.");
  return worker.scriptURL;
}

function hubAt(address: string): string {
  if (/^(ws|http)s?:\/\/[^\s/?#@]+\/?$/.test(address)) return address.replace(/^ws/, "http");
  throw new PagewireError(
    "options-invalid",
    'The option "backendWsUrl" must be the address of a hub, such as ws://127.0.0.1:7337, without a path.',
  );
}
