import type { ToolDefinition } from "../toolbox/index.ts";
import { PagewireError, fillInLimits, pageLimits } from "../wire/index.ts";
import type { OnError, PageLimits } from "../wire/index.ts";

export interface PageOptions {
  /** What this app calls itself, the same in all its tabs. */
  readonly app: string;
  /** The hub's address; by default this computer's. */
  readonly hub?: string;
  /** A token that the app's own server signed, or how to get a fresh one; needed where the hub asks for it. */
  readonly token?: string | (() => string | Promise<string>);
  readonly tools?: readonly ToolDefinition[];
  readonly limits?: Partial<PageLimits>;
  /** Hears of failures in the background; they go to the console by default. */
  readonly onError?: OnError;
}

interface CheckedOptions extends PageOptions {
  readonly hub: string;
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
  return { ...options, hub: hub.replace(/\/$/, ""), limits: fillInLimits(pageLimits, limits), onError };
}

function invalid(name: string, form: string): PagewireError {
  return new PagewireError("options-invalid", `The option "${name}" must be ${form}.`);
}

const logError: OnError = (error, { stage }) => console.error(`Pagewire (${stage}):`, error);
