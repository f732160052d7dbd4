// The extension's worker. The browser may stop it at any time, and starts it again for an event: so every listener is there
// at once, and what has to outlive it is in storage.
import type { SocketClass } from "../../link/index.ts";
import type { ExtensionApi, RuntimePort, Sender } from "../browser-api.ts";
import { pagePort } from "../messages.ts";
import type { FromProbe } from "../messages.ts";
import { parseFromOwnPage } from "../port/parse-messages.ts";
import type { Settings } from "../settings.ts";
import { createAsks } from "./asks.ts";
import { createBadge } from "./badge.ts";
import { createGrants, isSame } from "./grants.ts";
import type { Place } from "./grants.ts";
import { createHubSockets } from "./hub-sockets.ts";
import { createInjector } from "./inject.ts";
import { keepSettings } from "./keep-settings.ts";
import { createOwnPages } from "./own-pages.ts";
import { registerScripts } from "./register-scripts.ts";
import { createSavedTexts } from "./saved-texts.ts";
import { servePagePort } from "./serve-page.ts";
import type { PagePort } from "./serve-page.ts";
import { createShownTabs } from "./shown-tabs.ts";
import { createStored } from "./stored.ts";
import { createTabIds } from "./tab-ids.ts";

export interface WorkerPowers {
  readonly WebSocket: SocketClass;
  readonly now?: () => number;
  readonly newId?: () => string;
}

/** How long a page whose port is gone may take to come back before its questions are over, in milliseconds. */
const absence = 3000;
/** In storage.session: the scripts are registered, and the tabs that were open have been looked into. */
const started = "started";

/** Starts the worker: called at the top of its script. */
export function startWorker(api: ExtensionApi, powers: WorkerPowers): void {
  const { WebSocket, now = Date.now, newId = () => crypto.randomUUID() } = powers;
  const session = createStored(api.storage.session);
  const settings = keepSettings(api);
  const grants = createGrants(api, { settings, session });
  const shown = createShownTabs(session, now);
  const saved = createSavedTexts(session);
  const tabIds = createTabIds(session, newId);
  const badge = createBadge(api);
  const sockets = createHubSockets({ WebSocket, session });
  const injector = createInjector(api);
  const pages = new Set<PagePort>();
  const asks = createAsks(api, {
    ...{ session, now, changed: badge.asks },
    titleOf: async (tab) => (await api.tabs.get(tab).catch(() => undefined))?.title ?? "",
    deliver(place, ask, answer) {
      const page = [...pages].find((each) => isSame(each.place, place));
      page?.answer(ask, answer);
      return page !== undefined;
    },
  });
  let registering: Promise<unknown> = Promise.resolve();
  const run = (work: Promise<unknown>) => void work.catch(console.error);

  function register(): Promise<void> {
    const turn = registering.then(async () => registerScripts(api, await settings.get()));
    registering = turn.catch(console.error);
    return turn;
  }

  /** Whether pages may offer anything now. */
  const isOn = ({ hub, paused }: Settings) => hub !== undefined && !paused;

  async function connected(port: RuntimePort): Promise<void> {
    const { sender } = port;
    const place = placeOf(sender);
    if (port.name !== pagePort || sender?.id !== api.runtime.id || !place) return port.disconnect();
    const page = servePagePort(port, place, {
      ...{ api, sockets, asks, shown, saved, badge },
      tabId: tabIds.get,
      allowed: async (at) => (await allows(at))?.settings,
      ended,
    });
    // Before anything is read: a change that comes meanwhile is for this page, too.
    pages.add(page);
    const allowed = await allows(place);
    if (!pages.has(page)) return;
    if (!allowed) return dismiss(page);
    shown.begin(place, allowed.lasts);
    badge.calls(place.tab, 0);
    run(asks.drop(place.tab, place));
    await page.settle(allowed.settings);
  }

  async function allows(place: Place) {
    const current = await settings.get();
    const lasts = isOn(current) ? await grants.lastsOf(place) : undefined;
    return lasts && { settings: current, lasts };
  }

  /** Ends a page that may not offer any more. */
  function dismiss(page: PagePort): void {
    pages.delete(page);
    page.leave();
    run(asks.only(page.place, []));
  }

  function ended(page: PagePort): void {
    pages.delete(page);
    const { place } = page;
    if ([...pages].some((each) => each.place.tab === place.tab)) return;
    shown.end(place);
    expectBack(place);
  }

  /** The questions of a document whose port is gone are over, unless it comes back. */
  function expectBack(place: Place): void {
    setTimeout(() => {
      const isBack = [...pages].some((each) => isSame(each.place, place));
      if (!isBack) run(asks.only(place, []));
    }, absence);
  }

  /** Ends the pages that may not offer any more, and tells the others what has changed. */
  async function review(): Promise<void> {
    await Promise.all(
      [...pages].map(async (page) => {
        const allowed = await allows(page.place);
        if (allowed) await page.settle(allowed.settings);
        else dismiss(page);
      }),
    );
    await Promise.all((await shown.tabs()).map(allowedIn));
  }

  /** The document that a tab shows, if its site is allowed there; the popup is told. */
  async function allowedIn(tab: number): Promise<Place | undefined> {
    const place = await injector.look(tab);
    const lasts = place && (await grants.lastsOf(place));
    shown.allowed(tab, place, lasts);
    return lasts && place;
  }

  /** Looks for tools in a tab again, where its site is allowed. */
  async function probe(tab: number): Promise<void> {
    const place = await allowedIn(tab);
    const current = await settings.get();
    if (place && isOn(current)) await injector.probe(place, current);
  }

  /** A tab shows a document, which the browser may have put aside for a while, or which the extension could not see before. */
  async function arrived(tab: number): Promise<void> {
    const place = await allowedIn(tab);
    if (place && !(await injector.isWatched(place))) await probe(tab);
  }

  /** Tabs that are open already come back, or come in, without being loaded again. */
  async function probeAll(): Promise<void> {
    const open = await api.tabs.query({});
    await Promise.allSettled(open.map(async ({ id, discarded }) => id !== undefined && !discarded && probe(id)));
  }

  async function foundTools(sender: Sender): Promise<void> {
    const place = placeOf(sender);
    if (place && (await allows(place))) await injector.page(place);
  }

  const ownPages = createOwnPages({
    ...{ api, session, WebSocket, settings, grants, asks, sockets, shown, injector, badge },
    ...{ register, review, probe, probeAll, arrived },
    stop: (tab, call) => [...pages].some((page) => page.place.tab === tab && page.stop(call)),
  });

  async function start(): Promise<void> {
    const { hub, paused } = await settings.get();
    sockets.start(hub);
    badge.pause(paused);
    for (const place of await asks.resume()) expectBack(place);
    // Empty after an installation, an update, a start of the browser, and once the extension is switched on again.
    if ((await session.get(started)) === true) return;
    await register();
    await probeAll();
    await session.change(started, () => true);
  }

  api.runtime.onConnect.addListener((port) => run(connected(port)));
  api.runtime.onMessage.addListener((message, sender, answer) => {
    if (sender.id !== api.runtime.id) return undefined;
    if (sender.url?.startsWith(api.runtime.getURL(""))) {
      const known = parseFromOwnPage(message);
      if (!known) return undefined;
      void ownPages.take(known).then(answer);
      return true;
    }
    if ((message as Partial<FromProbe> | undefined)?.type === "tools-here") run(foundTools(sender));
    return undefined;
  });
  api.permissions.onAdded.addListener(({ origins = [] }) => run(ownPages.added(origins)));
  api.permissions.onRemoved.addListener(() => run(Promise.all([register(), review()])));
  api.tabs.onRemoved.addListener((tab) => {
    shown.remove(tab);
    saved.remove(tab);
    badge.forget(tab);
    run(Promise.all([grants.removeTab(tab), tabIds.remove(tab), asks.drop(tab)]));
  });
  api.tabs.onReplaced?.addListener((added, removed) => {
    shown.remove(removed);
    badge.forget(removed);
    run(Promise.all([tabIds.move(removed, added), saved.move(removed, added), grants.moveTab(removed, added)]));
  });
  api.tabs.onUpdated.addListener((tab, { status }) => {
    if (status === "complete") run(arrived(tab));
  });
  api.windows.onRemoved.addListener((window) => run(asks.windowClosed(window)));
  run(start());
}

/** The top document of a tab that shows a site, as the browser names it; undefined for all others. */
function placeOf(sender: Sender | undefined): Place | undefined {
  const { tab, frameId, origin, url, documentId, documentLifecycle = "active" } = sender ?? {};
  if (tab?.id === undefined || frameId !== 0 || documentLifecycle === "prerender") return undefined;
  const known = origin ?? (url === undefined ? undefined : new URL(url).origin);
  if (known === undefined || !/^https?:\/\//.test(known)) return undefined;
  return { tab: tab.id, origin: known, document: documentId };
}
