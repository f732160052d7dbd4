import type { LocalToolbox } from "../toolbox/index.ts";
import type { OnError, PageLimits } from "../wire/index.ts";
import type { Dialog } from "./dialog/dialog.ts";
import type { PageCallEvent } from "./page.ts";
import type { PageOptions } from "./page-options.ts";

/** What it takes to serve the browser's own agent. */
export interface BrowserServing {
  readonly native: PageOptions["native"] | undefined;
  readonly browserTools: PageOptions["browserTools"] | undefined;
  readonly toolbox: LocalToolbox;
  readonly limits: PageLimits;
  readonly loadDialog: () => Promise<Dialog>;
  readonly onCall: (event: PageCallEvent) => void;
  readonly onError: OnError;
  /** Ends all of it. */
  readonly signal: AbortSignal;
}
