// The pages that have a port to the worker. Each may offer its tools for as long as its site is allowed and nothing is paused.
import type { ExtensionApi, RuntimePort } from "../browser-api.ts";
import { pagePort } from "../messages.ts";
import type { PersonAnswer } from "../messages.ts";
import { isSame } from "./grants.ts";
import type { Place } from "./grants.ts";
import { placeOf } from "./place-of.ts";
import { servePagePort } from "./serve-page.ts";
import type { PagePort, PagePortPowers } from "./serve-page.ts";
import type { SiteScripts } from "./site-scripts.ts";

export interface OpenPages {
  /** A script in a page has opened a port. */
  connected(port: RuntimePort): Promise<void>;
  /** Gives a page its answer; false if its port is away. */
  answer(place: Place, ask: string, answer: PersonAnswer): boolean;
  /** False if no page in the tab runs the call. */
  stop(tab: number, call: string): boolean;
  /** The questions of a document whose port is gone are over, unless it comes back. */
  expectBack(place: Place): void;
  /** Ends the pages that may not offer any more, and sends the others the settings that have changed. */
  review(): Promise<void>;
}

export interface OpenPagesOptions extends Omit<PagePortPowers, "api" | "allowed" | "ended"> {
  readonly api: Pick<ExtensionApi, "runtime" | "tabs">;
  readonly scripts: Pick<SiteScripts, "allows" | "allowedIn">;
}

/** How long a page whose port is gone may take to come back before its questions are over, in milliseconds. */
const absence = 3000;

export function createOpenPages(options: OpenPagesOptions): OpenPages {
  const { api, scripts, shown, asks, badge } = options;
  const pages = new Set<PagePort>();
  const pageAt = (place: Place) => [...pages].find((page) => isSame(page.place, place));
  const endAsks = (place: Place) => void asks.only(place, []).catch(console.error);

  /** Ends a page that may not offer any more. */
  function dismiss(page: PagePort): void {
    pages.delete(page);
    page.leave();
    endAsks(page.place);
  }

  function ended(page: PagePort): void {
    pages.delete(page);
    const { place } = page;
    if ([...pages].some((each) => each.place.tab === place.tab)) return;
    shown.end(place);
    expectBack(place);
  }

  function expectBack(place: Place): void {
    setTimeout(() => pageAt(place) ?? endAsks(place), absence);
  }

  return {
    async connected(port) {
      const { sender } = port;
      const place = placeOf(sender);
      if (port.name !== pagePort || sender?.id !== api.runtime.id || !place) return port.disconnect();
      const allowed = async (at: Place) => (await scripts.allows(at))?.settings;
      const page = servePagePort(port, place, { ...options, allowed, ended });
      // Before anything is read: a change that comes meanwhile is for this page, too.
      pages.add(page);
      const known = await scripts.allows(place);
      if (!pages.has(page)) return;
      if (!known) return dismiss(page);
      shown.begin(place, known.lasts);
      badge.calls(place.tab, 0);
      void asks.drop(place.tab, place).catch(console.error);
      await page.settle(known.settings);
    },
    answer(place, ask, answer) {
      const page = pageAt(place);
      page?.answer(ask, answer);
      return page !== undefined;
    },
    stop: (tab, call) => [...pages].some((page) => page.place.tab === tab && page.stop(call)),
    expectBack,
    async review() {
      const reviewed = [...pages].map(async (page) => {
        const allowed = await scripts.allows(page.place);
        if (allowed) await page.settle(allowed.settings);
        else dismiss(page);
      });
      await Promise.all(reviewed);
      await Promise.all((await shown.tabs()).map(scripts.allowedIn));
    },
  };
}
