// The extension's scripts in the documents of allowed sites: registered for new ones, and run in those that are open already.
import type { ExtensionApi, Sender } from "../browser-api.ts";
import type { Settings } from "../settings.ts";
import type { Grants, Place } from "./grants.ts";
import { createInjector } from "./inject.ts";
import type { KeptSettings } from "./keep-settings.ts";
import { placeOf } from "./place-of.ts";
import { registerScripts } from "./register-scripts.ts";
import type { ShownTabs } from "./shown-tabs.ts";

export interface SiteScripts {
  /** Registers the scripts that the permissions and settings call for. */
  register(): Promise<void>;
  /** The document that a tab shows; undefined if the browser does not let the extension into it. */
  look(tab: number): Promise<Place | undefined>;
  /** Undefined if a document may offer nothing now. */
  allows(place: Place): Promise<Allowed | undefined>;
  /** The document that a tab shows, if its site is allowed there; the popup shows it. */
  allowedIn(tab: number): Promise<Place | undefined>;
  /** Looks for tools in a tab again, where its site is allowed. */
  probe(tab: number): Promise<void>;
  /** Tabs that are open already come back, or come in, without being loaded again. */
  probeAll(): Promise<void>;
  /** A tab shows a document, which the browser may have put aside for a while, or which the extension could not see before. */
  arrived(tab: number): Promise<void>;
  /** A document's probe found tools. */
  foundTools(sender: Sender): Promise<void>;
}

export interface Allowed {
  readonly settings: Settings;
  readonly lasts: "page" | "tab" | "always";
}

export interface SiteScriptsOptions {
  readonly settings: KeptSettings;
  readonly grants: Grants;
  readonly shown: ShownTabs;
}

type SiteScriptsApi = Pick<ExtensionApi, "permissions" | "runtime" | "scripting" | "tabs">;

export function createSiteScripts(api: SiteScriptsApi, { settings, grants, shown }: SiteScriptsOptions): SiteScripts {
  const injector = createInjector(api);
  let registering: Promise<unknown> = Promise.resolve();

  /** Whether pages may offer anything now. */
  const isOn = ({ hub, paused }: Settings) => hub !== undefined && !paused;

  async function allows(place: Place): Promise<Allowed | undefined> {
    const current = await settings.get();
    const lasts = isOn(current) ? await grants.lastsOf(place) : undefined;
    return lasts && { settings: current, lasts };
  }

  async function allowedIn(tab: number): Promise<Place | undefined> {
    const place = await injector.look(tab);
    const lasts = place && (await grants.lastsOf(place));
    shown.allowed(tab, place, lasts);
    return lasts && place;
  }

  async function probe(tab: number): Promise<void> {
    const place = await allowedIn(tab);
    const current = await settings.get();
    if (place && isOn(current)) await injector.probe(place, current);
  }

  return {
    register() {
      const turn = registering.then(async () => registerScripts(api, await settings.get(), await grants.inTabs()));
      registering = turn.catch(console.error);
      return turn;
    },
    ...{ look: injector.look, allows, allowedIn, probe },
    async probeAll() {
      const open = await api.tabs.query({});
      await Promise.allSettled(open.map(async ({ id, discarded }) => id !== undefined && !discarded && probe(id)));
    },
    async arrived(tab) {
      const place = await allowedIn(tab);
      if (place && !(await injector.isWatched(place))) await probe(tab);
    },
    async foundTools(sender) {
      const place = placeOf(sender);
      if (place && (await allows(place))) await injector.page(place);
    },
  };
}
