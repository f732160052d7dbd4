import type { LocalToolbox } from "../toolbox/index.ts";
import { pageLimits } from "../wire/index.ts";
import type { OnError } from "../wire/index.ts";
import type { Guard, JoinedToolsOptions } from "./join/joined-tools.ts";
import { keepJoined } from "./join/keep-joined.ts";
import type { JoinEnvironment, Joining } from "./join/keep-joined.ts";
import { watchModelContext } from "./join/watch-model-context.ts";
import { mayAsk, watchLeaving } from "./may-ask.ts";
import { tellOffersChanged } from "./own-tools.ts";

// Only one page per document joins the browser's tools, because an agent would otherwise see each of them twice. The
// queue is stored under a symbol of the realm, because the pages may use separate copies of this code.
const realm: { [key: symbol]: (() => void)[] | undefined } = globalThis;
const key = Symbol.for("pagewire.browser-tools");

/** Queues `start` behind the earlier callers of this document; the returned function ends its turn. */
export function takeTurn(start: () => () => void): () => void {
  const waiting = (realm[key] ??= []);
  let stop: (() => void) | undefined;
  const begin = () => void (stop = start());
  waiting.push(begin);
  if (waiting[0] === begin) begin();
  return () => {
    const place = waiting.indexOf(begin);
    if (place < 0) return;
    waiting.splice(place, 1);
    stop?.();
    if (place === 0) waiting[0]?.();
  };
}

export interface JoinOptions {
  /** Origins of frames whose tools join too, if they expose them to this page's origin. */
  readonly fromOrigins?: readonly string[] | undefined;
  /** The toolbox's limit. */
  readonly offersPerPage?: number;
  /** Whether the browser has refused the page's own tool of this name: then the name is that of the browser's for all agents. */
  readonly isRefused?: ((name: string) => boolean) | undefined;
  /** Every call goes through it. Without it, calls run at once. */
  readonly guard?: Guard | undefined;
  /** Tools for which it is false do not join. After its answers have changed, call `refresh()`. */
  readonly offers?: JoinedToolsOptions["offers"] | undefined;
  /** A model context to read instead of the document's own. Its tools need no `window`: those without are of this document. */
  readonly modelContext?: (() => unknown) | undefined;
  /** Receives the reason why the browser's tools, or one of them, could not join: once per reason. */
  readonly onError: OnError;
}

/**
 * Adds the tools that a page's scripts and forms, and its frames, have registered with the browser to the page's
 * toolbox, until they are removed again. Of several toolboxes in a document the first one gets them, and the next one
 * when the first gives them up.
 */
export function joinBrowserTools(toolbox: LocalToolbox, options: JoinOptions): Joining {
  const { fromOrigins = [], offersPerPage = pageLimits.offersPerPage, onError } = options;
  const { isRefused = () => false, guard = unguarded, offers = () => true } = options;
  const environment = { ...thisDocument(), ...(options.modelContext && { modelContext: options.modelContext }) };
  let joining: Joining | undefined;
  // It may be this one's turn only when the page is being left.
  watchLeaving();
  const close = takeTurn(() => {
    tellOffersChanged();
    joining = keepJoined(toolbox, { fromOrigins, offersPerPage, isRefused, guard, offers, onError, environment });
    return () => {
      joining?.close();
      tellOffersChanged();
    };
  });
  return { refresh: () => joining?.refresh(), close };
}

const unguarded: Guard = ({ context }, run) => run(context.signal);

function thisDocument(): JoinEnvironment {
  return {
    window,
    modelContext: () => (document as { readonly modelContext?: unknown }).modelContext,
    watch: watchModelContext,
    mayAsk,
    after(milliseconds, run) {
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
  };
}
