// The URIs under which agents see the resources and templates of all tabs. A URI of one app stays as it is; a URI of several
// apps is listed for each as `app+uri`, which agents may always use.
import type { Clock } from "../link/index.ts";
import { matchUriTemplate } from "../toolbox/index.ts";
import type { Resource, ResourceTemplate, SwitchboardLimits } from "../wire/index.ts";
import type { Group, Tab } from "./types.ts";
import type { SharedOffer } from "./offers.ts";
import { markOf, slug } from "./tell-apart.ts";

export interface ExposedResources {
  /** Sorted by the URIs that agents use. */
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplate[];
  /** The resources that this URI may mean, one per app. */
  findResource(uri: string): readonly FoundResource[];
  /** The URI under which agents see a resource of these tabs. */
  listedUri(group: Group, uri: string): string;
}

/** A resource, or a template that describes it, in the tabs of one app. */
export interface FoundResource {
  /** The page's own URI. */
  readonly uri: string;
  /** The URI that always means this resource, also if other apps offer its own URI. */
  readonly fullUri: string;
  readonly origin: string;
  readonly app: string;
  readonly groups: readonly Group[];
}

interface App {
  readonly origin: string;
  readonly app: string;
  readonly prefix: string;
  readonly resources: ReadonlyMap<string, Shared<Resource>>;
  readonly resourceTemplates: ReadonlyMap<string, Shared<ResourceTemplate>>;
}

/** An item that several tabs of one app share. */
interface Shared<Item> {
  readonly item: Item;
  readonly groups: readonly Group[];
}

export function exposeResources(groups: readonly Group[]): ExposedResources {
  const apps = appsOf(groups);
  const prefixes = new Set(apps.map(({ prefix }) => prefix));
  const ownersOf = { resources: ownersIn(apps, "resources"), resourceTemplates: ownersIn(apps, "resourceTemplates") };
  const isPlain = (kind: Kind, id: string) => ownersOf[kind].get(id) === 1 && !prefixes.has(prefixOf(id));
  const nameOf = ({ prefix }: App, kind: Kind, id: string) => (isPlain(kind, id) ? id : prefix + id);

  return {
    resources: apps
      .flatMap((app) => [...app.resources].map(([id, { item }]) => ({ ...item, uri: nameOf(app, "resources", id) })))
      .sort((one, other) => (one.uri < other.uri ? -1 : 1)),
    resourceTemplates: apps
      .flatMap((app) =>
        [...app.resourceTemplates].map(([id, { item }]) => ({
          ...item,
          uriTemplate: nameOf(app, "resourceTemplates", id),
        })),
      )
      .sort((one, other) => (one.uriTemplate < other.uriTemplate ? -1 : 1)),
    findResource(uri) {
      const prefix = prefixOf(uri);
      const ofOne = apps.filter((app) => app.prefix === prefix);
      const found = findIn(ofOne, uri.slice(prefix.length));
      return found.length > 0 ? found : findIn(apps, uri);
    },
    listedUri(group, uri) {
      const app = apps.find(({ origin, app: name }) => origin === group.origin && name === group.app);
      if (!app) return uri;
      if (app.resources.has(uri)) return nameOf(app, "resources", uri);
      const template = [...app.resourceTemplates.keys()].find((each) => describes(each, uri));
      return template !== undefined && !isPlain("resourceTemplates", template) ? app.prefix + uri : uri;
    },
  };
}

function offersResource({ resources, resourceTemplates }: SharedOffer, uri: string): boolean {
  return resources.has(uri) || [...resourceTemplates.keys()].some((template) => describes(template, uri));
}

type Kind = "resources" | "resourceTemplates";

function appsOf(groups: readonly Group[]): readonly App[] {
  const apps = new Map<string, { origin: string; app: string; groups: Group[] }>();
  for (const group of groups) {
    const { origin, app, offer } = group;
    if (offer.resources.size + offer.resourceTemplates.size === 0) continue;
    const key = `${origin}\n${app}`;
    const known = apps.get(key) ?? { origin, app, groups: [] };
    apps.set(key, known);
    known.groups.push(group);
  }
  const schemes = countOf([...apps.values()].map(({ app }) => schemeOf(app)));
  return [...apps].map(([key, { origin, app, groups: own }]) => {
    const scheme = schemeOf(app);
    return {
      origin,
      app,
      prefix: schemes.get(scheme) === 1 ? `${scheme}+` : `${scheme}.${markOf(key)}+`,
      resources: share(own, (offer) => offer.resources),
      resourceTemplates: share(own, (offer) => offer.resourceTemplates),
    };
  });
}

function share<Item>(
  groups: readonly Group[],
  itemsOf: (offer: SharedOffer) => ReadonlyMap<string, Item>,
): ReadonlyMap<string, Shared<Item>> {
  const shared = new Map<string, { readonly item: Item; readonly groups: Group[] }>();
  for (const group of groups) {
    for (const [id, item] of itemsOf(group.offer)) {
      const known = shared.get(id);
      if (known) known.groups.push(group);
      else shared.set(id, { item, groups: [group] });
    }
  }
  return shared;
}

/** An app's resources win over its templates. */
function findIn(apps: readonly App[], uri: string): readonly FoundResource[] {
  const found = ({ origin, app, prefix }: App, groups: readonly Group[] = []): readonly FoundResource[] =>
    groups.length === 0 ? [] : [{ uri, fullUri: prefix + uri, origin, app, groups }];
  const exact = apps.flatMap((app) => found(app, app.resources.get(uri)?.groups));
  if (exact.length > 0) return exact;
  return apps.flatMap((app) => {
    const matching = [...app.resourceTemplates].filter(([template]) => describes(template, uri));
    return found(
      app,
      matching.flatMap(([, { groups }]) => groups),
    );
  });
}

/** A completion names the template itself. */
function describes(template: string, uri: string): boolean {
  return template === uri || matchUriTemplate(template, uri) !== undefined;
}

/** How many apps have an item under each URI. */
function ownersIn(apps: readonly App[], kind: Kind): ReadonlyMap<string, number> {
  return countOf(apps.flatMap((app) => [...app[kind].keys()]));
}

function countOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function prefixOf(uri: string): string {
  return uri.slice(0, uri.indexOf("+") + 1);
}

/** An app's name as the scheme of a URI, which begins with a letter; clients may write it in lower case. */
function schemeOf(app: string): string {
  const name = slug(app).toLowerCase();
  return /^[a-z]/.test(name) ? name : `app-${name}`;
}

export interface Updates {
  /** The contents of a tab's own resource changed. */
  note(tab: Tab, uri: string): void;
  subscribe(listener: (uri: string, tabId: string) => void): () => void;
  close(): void;
}

/** Announces changed resources: at once, and once more at the end of `changesTime` if they change again within it. */
export function createUpdates(
  clock: Clock,
  limits: SwitchboardLimits,
  directory: { exposure(): Pick<ExposedResources, "listedUri"> },
): Updates {
  const listeners = new Set<(uri: string, tabId: string) => void>();
  /** Resources announced within this `changesTime`, and those of them that changed again. */
  const announced = new Set<string>();
  const changedAgain = new Map<string, { readonly tab: Tab; readonly uri: string }>();
  let stopTimer: (() => void) | undefined;

  function note(tab: Tab, uri: string): void {
    if (listeners.size === 0 || !tab.group || !offersResource(tab.group.offer, uri)) return;
    const key = `${tab.tabId}\n${uri}`;
    if (announced.has(key)) return void changedAgain.set(key, { tab, uri });
    // A template matches any number of resources, so this set is bounded.
    if (announced.size >= limits.offersPerPage) endMoment();
    announced.add(key);
    stopTimer ??= clock.after(limits.changesTime, endMoment);
    const listed = directory.exposure().listedUri(tab.group, uri);
    for (const name of new Set([uri, listed])) for (const listener of listeners) listener(name, tab.tabId);
  }

  function endMoment(): void {
    const due = [...changedAgain.values()];
    forget();
    for (const { tab, uri } of due) note(tab, uri);
  }

  function forget(): void {
    stopTimer?.();
    stopTimer = undefined;
    announced.clear();
    changedAgain.clear();
  }

  return {
    note,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      forget();
      listeners.clear();
    },
  };
}
