import type { OnError } from "../wire/index.ts";
import { pageLimits } from "../wire/index.ts";
import type { Page } from "./api/page.ts";
import { browserEnvironment } from "./browser/browser-environment.ts";
import type { ServedBrowser } from "./browser-agent/browser-calls.ts";
import { packageChunks } from "./chunks.ts";

export interface BrowserOfferOptions {
  readonly onError: OnError;
  /** Takes the tools back when it aborts. */
  readonly signal: AbortSignal;
}

/** A page's tools as the browser's own agent has them. */
export interface BrowserOffer {
  /** The tools that are registered with the browser now. */
  names(): readonly string[];
}

/** Offers a page's tools to the browser's own agent, as the option `native` does, from now until the signal aborts. */
export function offerToBrowser(
  { toolbox }: Pick<Page, "toolbox">,
  { onError, signal }: BrowserOfferOptions,
): BrowserOffer {
  let served: ServedBrowser | undefined;

  async function serve(): Promise<void> {
    try {
      const { serveModelContext } = await packageChunks.modelContext();
      served = serveModelContext({
        ...{ toolbox, onError, signal, native: true, browserTools: false, limits: pageLimits },
        loadDialog: packageChunks.dialog,
        followers: { all: new Set(), tell() {} },
      });
    } catch (error) {
      onError(error, { stage: "model context" });
    }
  }

  browserEnvironment.onModelContext(serve, signal);
  return { names: () => (signal.aborted ? [] : (served?.names() ?? [])) };
}
