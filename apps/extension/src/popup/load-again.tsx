// The help for pages in a browser without WebMCP: the extension brings it, but a page looks for it while it loads.
import { siteOf } from "pagewire/extension";
import type { ShownTab } from "pagewire/extension";
import { messageOf } from "pagewire/wire";
import { Button } from "../../../common/src/ui/button.tsx";
import type { Store } from "../common/open-store.ts";
import type { Sending } from "../common/use-sending.ts";

export const withoutWebMcp =
  "This browser has no WebMCP of its own: choose “This tab” or “Always”, then load the page again, so that it finds the extension's.";

export interface LoadAgainProps {
  readonly store: Store;
  readonly origin: string;
  readonly sending: Sending;
  readonly tabId: number;
  readonly shown: ShownTab | undefined;
  readonly lasts: ShownTab["lasts"];
}

export function LoadAgain({ store, tabId, origin, lasts, shown, sending }: LoadAgainProps) {
  const settings = store.settings.value;
  const { note, tools = [] } = shown ?? {};
  const isHelp = settings && !settings.paused && siteOf(settings, origin).polyfill;
  if (!isHelp || tools.length > 0 || note !== undefined) return null;
  if (!isSecure(origin)) {
    return <p class="hint">This browser has no WebMCP of its own, and the extension brings it to https sites only.</p>;
  }
  const isPage = lasts === "page";

  async function loadAgain(): Promise<void> {
    // The next document is another page.
    if (isPage && !(await sending.send({ type: "allow", tab: tabId, origin, lasts: "tab" })).ok) return;
    await store.api.tabs.reload(tabId).catch((error: unknown) => sending.fail(messageOf(error)));
  }

  return (
    <div class="notice info">
      <p>Was it open before you allowed it? Load the page again, so that it finds WebMCP.</p>
      <Button small busy={sending.isBusy} onClick={() => void loadAgain()}>
        {isPage ? "Allow this tab, and reload" : "Reload"}
      </Button>
    </div>
  );
}

/** Browsers give other pages no WebMCP, and nor does the extension. */
export function isSecure(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === "https:" || /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
