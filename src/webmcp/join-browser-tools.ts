import type { LocalToolbox } from "../toolbox/index.ts";
import { pageLimits } from "../wire/index.ts";
import type { OnError } from "../wire/index.ts";
import { keepJoined } from "./join/keep-joined.ts";
import type { JoinEnvironment } from "./join/keep-joined.ts";
import { takeTurn } from "./join/take-turn.ts";
import { watchModelContext } from "./join/watch-model-context.ts";
import { mayAsk, watchLeaving } from "./may-ask.ts";
import { tellOffersChanged } from "./own-tools.ts";

export interface JoinOptions {
  /** Origins of frames whose tools join, too, where those expose them to this page's origin. */
  readonly fromOrigins?: readonly string[] | undefined;
  /** What the toolbox has room for. */
  readonly offersPerPage?: number;
  /** Hears what kept the browser's tools, or one of them, from joining: once for each reason. */
  readonly onError: OnError;
}

/**
 * Keeps the tools that a page's scripts and forms gave its browser in the page's toolbox, and those of its frames;
 * returns a function that takes them away again. Of several toolboxes in a document the first has them, and the next
 * when it gives them up.
 */
export function joinBrowserTools(toolbox: LocalToolbox, options: JoinOptions): () => void {
  const { fromOrigins = [], offersPerPage = pageLimits.offersPerPage, onError } = options;
  // The turn may come as the document is left.
  watchLeaving();
  return takeTurn(() => {
    tellOffersChanged();
    const stop = keepJoined(toolbox, { fromOrigins, offersPerPage, onError, environment: thisDocument() });
    return () => {
      stop();
      tellOffersChanged();
    };
  });
}

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
