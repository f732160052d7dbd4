// The extension's button opens it: the hub, this site, its tools and its calls, in one look.
import { useEffect, useState } from "preact/hooks";
import { shownTab, siteOrigin } from "pagewire/extension";
import type { BrowserTab, PairedHub, ShownTab } from "pagewire/extension";
import { messageOf } from "pagewire/wire";
import { icons } from "../../../common/src/icons.ts";
import { Button } from "../../../common/src/ui/button.tsx";
import { Loading, Problem } from "../../../common/src/ui/states.tsx";
import { HubStatus } from "../common/hub-status.tsx";
import { asksOf, hubOf } from "../common/open-store.ts";
import type { Store } from "../common/open-store.ts";
import { PairForm, pairingCommand } from "../common/pair-form.tsx";
import { ProblemLine } from "../common/problem-line.tsx";
import { useSending } from "../common/use-sending.ts";
import { Calls } from "./calls.tsx";
import { Site } from "./site.tsx";
import type { SiteProps } from "./site.tsx";
import { Tools } from "./tools.tsx";

export interface PopupProps {
  readonly store: Store;
  /** The active tab by default. */
  readonly tabId?: number | undefined;
  /** Whether the browser has WebMCP of its own, also for pages that the extension does not reach. */
  readonly hasWebMcp?: boolean;
}

export function Popup({ store, tabId, hasWebMcp = "modelContext" in document }: PopupProps) {
  const { tab, problem = store.problem.value } = useTab(store, tabId);
  const settings = store.settings.value;
  const session = store.session.value;
  const isRead = settings && session && tab;
  return (
    <>
      <Head store={store} />
      <main class="stack">
        {problem !== undefined && <Problem title="The extension's state could not be read." error={problem} />}
        {!isRead && problem === undefined && <Loading>Reading the state</Loading>}
        {isRead && !settings.hub && <PairForm store={store} />}
        {isRead && settings.hub && (
          <>
            <Hub store={store} hub={settings.hub} />
            <Waiting count={asksOf(store).length} />
            <Here {...{ store, tab, hasWebMcp }} />
          </>
        )}
      </main>
    </>
  );
}

function Head({ store }: { readonly store: Store }) {
  const { problem, isBusy, send } = useSending(store);
  const { hub, paused = false } = store.settings.value ?? {};
  return (
    <header>
      <div class="row">
        <h1>Pagewire</h1>
        {hub && (
          <Button
            small
            busy={isBusy}
            aria-pressed={paused}
            onClick={() => void send({ type: "pause", paused: !paused })}
          >
            {paused ? "Resume" : "Pause everything"}
          </Button>
        )}
        <Button
          kind="quiet"
          small
          icon={icons.settings}
          label="Settings"
          onClick={() => void store.api.runtime.openOptionsPage()}
        />
      </div>
      <ProblemLine text={problem} />
      {hub && paused && <p class="notice warn">Paused: agents see no page of this browser until you resume.</p>}
    </header>
  );
}

function Waiting({ count }: { readonly count: number }) {
  return (
    <div role="status">
      {count > 0 && (
        <p class="notice warn">
          {count === 1
            ? "A question waits for you in its own window."
            : `${count} questions wait for you in their window.`}
        </p>
      )}
    </div>
  );
}

/** The hub's state, and the way back to a hub that does not know this browser any more. */
function Hub({ store, hub }: { readonly store: Store; readonly hub: PairedHub }) {
  const shown = hubOf(store);
  const isForgotten = shown?.status === "refused" && shown.command?.startsWith(pairingCommand);
  if (!isForgotten) return <HubStatus hub={hub} shown={shown} />;
  return (
    <>
      <HubStatus hub={hub} shown={{ ...shown, command: undefined }} />
      <PairForm store={store} name={hub.browser} command={shown.command} />
    </>
  );
}

/** The page of the tab. */
function Here({ store, tab, hasWebMcp }: Omit<SiteProps, "shown">) {
  const known = store.session.value?.[shownTab(tab.id ?? -1)] as ShownTab | undefined;
  useEffect(() => void store.send({ type: "opened", tab: tab.id ?? -1 }), [tab.id]);
  // The tab may have gone to another site.
  const shown = known && (siteOrigin(tab.url) ?? known.origin) === known.origin ? known : undefined;
  return (
    <>
      <Site {...{ store, tab, shown, hasWebMcp }} />
      {shown && <Tools key={shown.origin} tools={shown.tools} />}
      {shown && shown.calls.length > 0 && <Calls store={store} tabId={tab.id ?? -1} calls={shown.calls} />}
    </>
  );
}

function useTab({ api: { tabs } }: Store, tabId: number | undefined) {
  const [found, setFound] = useState<{ readonly tab?: BrowserTab; readonly problem?: string }>({});
  useEffect(() => {
    const find = async (): Promise<void> => {
      const tab =
        tabId === undefined ? (await tabs.query({ active: true, currentWindow: true }))[0] : await tabs.get(tabId);
      setFound(tab ? { tab } : { problem: "This window has no tab." });
    };
    const run = (): void => void find().catch((error: unknown) => setFound({ problem: messageOf(error) }));
    // The tab may go to another page while the popup is open.
    tabs.onUpdated.addListener(run);
    run();
    return () => tabs.onUpdated.removeListener(run);
  }, [tabId]);
  return found;
}
