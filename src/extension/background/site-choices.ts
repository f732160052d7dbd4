// The person's choices about sites: which are allowed and for how long, and what agents may do there.
import type { FromOwnPage } from "../messages.ts";
import { originPattern } from "../origin-pattern.ts";
import { siteOf } from "../settings.ts";
import type { Settings } from "../settings.ts";
import type { ExtensionApi } from "../browser-api.ts";
import type { Grants } from "./grants.ts";
import type { Injector } from "./inject.ts";
import type { KeptSettings } from "./keep-settings.ts";
import type { ShownTabs } from "./shown-tabs.ts";

type Message<Type> = Extract<FromOwnPage, { readonly type: Type }>;

export interface SiteChoicesOptions {
  readonly api: Pick<ExtensionApi, "permissions" | "runtime">;
  readonly settings: KeptSettings;
  readonly grants: Grants;
  readonly shown: ShownTabs;
  readonly injector: Pick<Injector, "look">;
  register(): Promise<void>;
  review(): Promise<void>;
  probe(tab: number): Promise<void>;
  probeAll(): Promise<void>;
}

export function createSiteChoices(options: SiteChoicesOptions) {
  const { api, settings, grants, shown, injector, register, review, probe, probeAll } = options;
  const patternOf = (origin: string) => originPattern(origin, api.runtime);

  /** A site that the person allows is not one that they removed. */
  async function takeBack(origins: readonly string[], lasts: Message<"allow">["lasts"]): Promise<void> {
    if (origins.length === 0) return;
    await settings.change((before) => ({
      ...before,
      ...(lasts === "always" && { allowed: [...new Set([...(before.allowed ?? []), ...origins])] }),
      removed: (before.removed ?? []).filter((origin) => !origins.includes(origin)),
    }));
  }

  async function allow({ tab, origin, lasts }: Message<"allow">): Promise<void> {
    if (lasts !== "always") await takeBack([origin], lasts);
    if (lasts === "always") {
      if (!(await api.permissions.contains({ origins: [patternOf(origin)] }))) {
        throw new Error(`The browser did not grant its permission for ${origin}.`);
      }
      await takeBack([origin], lasts);
      await register();
    }
    const place = await injector.look(tab);
    if (place?.origin !== origin)
      throw new Error(`The tab does not show ${origin} any more, or cannot be looked into.`);
    if (lasts === "page" && place.document === undefined) {
      throw new Error("This browser does not tell one page of a tab from the next: choose the tab instead.");
    }
    if (lasts !== "always") {
      await grants.add({ ...place, lasts });
      // The next document of the tab has the scripts before its own.
      await register();
    }
    shown.begin(place, lasts);
    await probe(tab);
  }

  async function removeSite(origin: string): Promise<void> {
    const { allowed = [] } = await settings.get();
    // In Firefox it may be the permission of other ports that the person allowed.
    const isShared = allowed.some((other) => other !== origin && patternOf(other) === patternOf(origin));
    if (!isShared) await api.permissions.remove({ origins: [patternOf(origin)] }).catch(() => false);
    const isStillCovered = await api.permissions.contains({ origins: [patternOf(origin)] });
    await grants.removeOrigin(origin);
    await settings.change((before) => {
      const { [origin]: _, ...sites } = before.sites;
      const others = (before.removed ?? []).filter((each) => each !== origin);
      return {
        ...before,
        sites,
        allowed: (before.allowed ?? []).filter((each) => each !== origin),
        removed: isStillCovered && !isShared ? [...others, origin] : others,
      };
    });
    await Promise.all([register(), review()]);
  }

  async function changeSite({ origin, site }: Message<"site">): Promise<void> {
    const after: Settings = await settings.change((before) => ({
      ...before,
      sites: { ...before.sites, [origin]: { ...siteOf(before, origin), ...site } },
    }));
    await Promise.all([register(), review()]);
    if (site.reading && siteOf(after, origin).reading) await probeAll();
  }

  return { takeBack, allow, remove: removeSite, change: changeSite };
}
