// The site of the tab: whether it is allowed, for how long, and how far agents may go.
import { useEffect, useState } from "preact/hooks";
import { isMeant, originPattern, siteOf, siteOrigin } from "pagewire/extension";
import type { BrowserTab, FromOwnPage, ShownTab } from "pagewire/extension";
import { messageOf, showInvisible } from "pagewire/wire";
import { Badge } from "../../../common/src/ui/badge.tsx";
import { Button } from "../../../common/src/ui/button.tsx";
import { CommandLine } from "../../../common/src/ui/command-line.tsx";
import { Address } from "../common/address.tsx";
import type { Store } from "../common/open-store.ts";
import { isSecure, LoadAgain, withoutWebMcp } from "./load-again.tsx";
import { ProblemLine } from "../common/problem-line.tsx";
import { CallsSetting, SiteSwitches } from "../common/site-settings.tsx";
import { useSending } from "../common/use-sending.ts";
import type { Sending } from "../common/use-sending.ts";

export interface SiteProps {
  readonly store: Store;
  readonly tab: BrowserTab;
  readonly shown: ShownTab | undefined;
  /** Whether the browser has WebMCP of its own. */
  readonly hasWebMcp: boolean;
}

export function Site({ store, tab, shown, hasWebMcp }: SiteProps) {
  const origin = siteOrigin(tab.url) ?? shown?.origin;
  const isCovered = useAlways(store, origin);
  const settings = store.settings.value;
  const isAlways = isCovered && origin !== undefined && settings && isMeant(settings, origin, store.api.runtime);
  const sending = useSending(store);
  if (origin === undefined) return <p class="notice">{unreachable}</p>;
  const isHub = origin === settings?.hub?.address;
  // The browser's permission is taken back without the worker's doing.
  const lasts = isAlways ? "always" : shown?.lasts === "always" ? undefined : shown?.lasts;
  return (
    <section class="stack site" aria-labelledby="site">
      <div class="row">
        <h2 id="site">
          <Address origin={origin} />
        </h2>
        {lasts && <Badge tone="ok">{lastingWords[lasts]}</Badge>}
      </div>
      {isHub ? (
        <p class="hint">These are the hub's own pages: they need no extension.</p>
      ) : isAlways === undefined ? null : lasts === undefined ? (
        <Allow {...{ store, origin, sending, hasWebMcp }} tabId={tab.id ?? -1} />
      ) : (
        <>
          <Allowed {...{ store, origin, sending, shown }} />
          {!hasWebMcp && <LoadAgain {...{ store, origin, sending, shown, lasts }} tabId={tab.id ?? -1} />}
        </>
      )}
      <ProblemLine text={sending.problem} />
    </section>
  );
}

const unreachable = "This page is the browser's own, or a file. No extension may use it: turn to a page of the web.";

const noTools =
  "The extension offers no tools of this page so far. A page with Pagewire's own script offers them itself.";

const lastingWords = { page: "Allowed for this page", tab: "Allowed in this tab", always: "Always allowed" } as const;

interface PartProps {
  readonly store: Store;
  readonly origin: string;
  readonly sending: Sending;
}

type AllowProps = PartProps & Pick<SiteProps, "hasWebMcp"> & { readonly tabId: number };

function Allow({ store, origin, sending, tabId, hasWebMcp }: AllowProps) {
  const { send, fail, isBusy } = sending;
  const allow = (lasts: Extract<FromOwnPage, { type: "allow" }>["lasts"]) =>
    send({ type: "allow", tab: tabId, origin, lasts });

  /** Browsers ask only at once after a click: nothing may be awaited before. */
  function allowAlways(): void {
    const { permissions, runtime } = store.api;
    void store.send({ type: "asking", origin });
    permissions.request({ origins: [originPattern(origin, runtime)] }).then(
      (isGranted) => (isGranted ? void allow("always") : fail("Your browser did not allow it.")),
      (error: unknown) => fail(messageOf(error)),
    );
  }

  return (
    <>
      <p>May agents use this site as you? Until you allow it, nothing here is read or offered.</p>
      <div class="row allow" role="group" aria-label="Allow it for">
        {!isFirefox(store) && (
          <Button busy={isBusy} onClick={() => void allow("page")}>
            This page
          </Button>
        )}
        <Button busy={isBusy} onClick={() => void allow("tab")}>
          This tab
        </Button>
        <Button busy={isBusy} kind="strong" onClick={allowAlways}>
          Always
        </Button>
      </div>
      <p class="hint">
        {!isFirefox(store) && "This page: until you leave it. "}This tab: until you close it; if it comes back from
        another site, click the extension's button there once more. Always: until you remove the site.
      </p>
      {!hasWebMcp && isSecure(origin) && <p class="hint">{withoutWebMcp}</p>}
    </>
  );
}

function Allowed({ store, origin, sending, shown }: PartProps & Pick<SiteProps, "shown">) {
  const settings = store.settings.value;
  if (!settings) return null;
  const site = siteOf(settings, origin);
  const change = (changed: Extract<FromOwnPage, { type: "site" }>["site"]): void =>
    void sending.send({ type: "site", origin, site: changed });
  return (
    <>
      <State shown={shown} isPaused={settings.paused} />
      <CallsSetting {...{ origin, site }} onChange={change} />
      <details>
        <summary>More for this site</summary>
        <div class="stack">
          <SiteSwitches site={site} onChange={change} />
          <Button kind="danger" small onClick={() => void sending.send({ type: "remove-site", origin })}>
            Remove this site
          </Button>
        </div>
      </details>
    </>
  );
}

/** Why the page's tools are not with the hub, if they are not. */
function State({ shown, isPaused }: { readonly shown: ShownTab | undefined; readonly isPaused: boolean }) {
  if (isPaused) return null;
  const { state, note, tools = [] } = shown ?? {};
  if (note !== undefined) return <p class="notice info">{showInvisible(note)}</p>;
  if (tools.length === 0) return <p class="hint">{noTools}</p>;
  if (state === undefined || state.status === "connected") return null;
  return (
    <div class="notice warn">
      <p>{showInvisible(state.message)}</p>
      {state.status === "refused" && state.command !== undefined && <CommandLine text={showInvisible(state.command)} />}
    </div>
  );
}

/** It does not tell one document of a tab from the next. */
function isFirefox({ api }: Store): boolean {
  return api.runtime.getURL("").startsWith("moz-extension:");
}

/** Whether the browser always allows an origin; undefined until it has answered. */
function useAlways({ api, permitted }: Store, origin: string | undefined): boolean | undefined {
  const [known, setKnown] = useState<{ readonly origin: string; readonly isAlways: boolean }>();
  const patterns = permitted.value;
  useEffect(() => {
    if (origin === undefined) return;
    let isOver = false;
    const say = (isAlways: boolean): void => void (isOver || setKnown({ origin, isAlways }));
    api.permissions.contains({ origins: [originPattern(origin, api.runtime)] }).then(say, () => say(false));
    return () => void (isOver = true);
  }, [origin, patterns]);
  return known?.origin === origin ? known?.isAlways : undefined;
}
