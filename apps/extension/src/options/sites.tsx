import { useId } from "preact/hooks";
import { isMeant, originPattern, patternOrigin, siteOf } from "pagewire/extension";
import type { Settings } from "pagewire/extension";
import { messageOf } from "pagewire/wire";
import { Badge } from "../../../common/src/ui/badge.tsx";
import { Button } from "../../../common/src/ui/button.tsx";
import { Address } from "../common/address.tsx";
import type { Store } from "../common/open-store.ts";
import { ProblemLine } from "../common/problem-line.tsx";
import { CallsSetting, SiteSwitches } from "../common/site-settings.tsx";
import { useSending } from "../common/use-sending.ts";

export interface SitesProps {
  readonly store: Store;
  readonly settings: Settings;
  /** The browser's permissions. */
  readonly patterns: readonly string[];
}

/** Every site that is allowed always or has settings of its own. */
export function Sites({ store, settings, patterns }: SitesProps) {
  const { runtime } = store.api;
  const isCovered = (origin: string): boolean =>
    [originPattern(origin, runtime), `${origin.replace(/:\d+$/, "")}/*`].some((pattern) => patterns.includes(pattern));
  const isAllowed = (origin: string): boolean => isMeant(settings, origin, runtime) && isCovered(origin);
  const permitted = patterns.map(patternOrigin).filter((origin) => origin !== undefined);
  const broad = patterns.filter((pattern) => patternOrigin(pattern) === undefined);
  const known = [...permitted, ...(settings.allowed ?? [])].filter(isAllowed);
  const origins = [...new Set([...known, ...Object.keys(settings.sites)])].toSorted((one, other) =>
    new URL(one).host.localeCompare(new URL(other).host),
  );
  if (origins.length + broad.length === 0) {
    return <p class="hint">None yet. Open a site, click the extension's button, and allow it there.</p>;
  }
  return (
    <ul class="sites">
      {broad.map((pattern) => (
        <BroadSite key={pattern} {...{ store, pattern }} />
      ))}
      {origins.map((origin) => (
        <SiteItem key={origin} {...{ store, settings, origin }} isAllowed={isAllowed(origin)} />
      ))}
    </ul>
  );
}

interface SiteItemProps extends Omit<SitesProps, "patterns"> {
  readonly origin: string;
  readonly isAllowed: boolean;
}

function SiteItem({ store, settings, origin, isAllowed }: SiteItemProps) {
  const id = useId();
  const { problem, isBusy, send } = useSending(store);
  const site = siteOf(settings, origin);
  const change: Parameters<typeof CallsSetting>[0]["onChange"] = (changed) =>
    void send({ type: "site", origin, site: changed });
  return (
    <li class="stack" aria-labelledby={id}>
      <div class="row">
        <h3 id={id}>
          <Address origin={origin} />
        </h3>
        {isAllowed ? <Badge tone="ok">Always allowed</Badge> : <Badge>Not allowed always</Badge>}
        <Button
          small
          kind="danger"
          busy={isBusy}
          aria-label={`Remove ${origin}`}
          onClick={() => void send({ type: "remove-site", origin })}
        >
          Remove
        </Button>
      </div>
      <CallsSetting {...{ origin, site }} onChange={change} />
      <SiteSwitches site={site} onChange={change} />
      <ProblemLine text={problem} />
    </li>
  );
}

/** A permission for many sites, which only the browser's own settings give. */
function BroadSite({ store, pattern }: { readonly store: Store; readonly pattern: string }) {
  const { problem, fail } = useSending(store);
  const remove = (): void =>
    void store.api.permissions.remove({ origins: [pattern] }).then(
      (isRemoved) => isRemoved || fail("Your browser keeps it: change it in the browser's settings of this extension."),
      (error: unknown) => fail(messageOf(error)),
    );
  return (
    <li class="stack">
      <div class="row">
        <h3>{pattern}</h3>
        <Badge tone="wait">Many sites</Badge>
        <Button small kind="danger" aria-label={`Remove ${pattern}`} onClick={remove}>
          Remove
        </Button>
      </div>
      <p class="hint">Your browser's settings allow the extension on all of these. Each has the usual settings.</p>
      <ProblemLine text={problem} />
    </li>
  );
}
