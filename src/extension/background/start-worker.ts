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
import { createGrants } from "./grants.ts";
import type { Place } from "./grants.ts";
import { createHubSockets, idle, unpaired } from "./hub-sockets.ts";
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
    let isGone = false;
    port.onDisconnect.addListener(() => (isGone = true));
    const current = await settings.get();
    const lasts = isOn(current) ? await grants.lastsOf(place) : undefined;
    if (isGone) return;
    if (!lasts) return port.postMessage({ type: "leave" });
    const page = servePagePort(port, place, {
      ...{ api, sockets, asks, shown, saved, badge },
      tabId: tabIds.get,
      settings: settings.get,
      ended,
    });
    pages.add(page);
    shown.begin(place, lasts);
    run(asks.drop(place.tab, place));
    // A page says nothing before it has its settings.
    await page.settle(current);
  }

  function ended(page: PagePort): void {
    pages.delete(page);
    const { place } = page;
    if ([...pages].some((each) => each.place.tab === place.tab)) return;
    shown.end(place);
    setTimeout(() => {
      const isBack = [...pages].some((each) => isSame(each.place, place));
      if (!isBack) void asks.drop(place.tab, [...pages].find((each) => each.place.tab === place.tab)?.place);
    }, absence);
  }

  /** Ends the pages that may not offer any more, and tells the others what has changed. */
  async function review(): Promise<void> {
    const current = await settings.get();
    await Promise.all(
      [...pages].map(async (page) => {
        const isAllowed = isOn(current) && (await grants.lastsOf(page.place)) !== undefined;
        if (isAllowed) await page.settle(current);
        else page.leave();
      }),
    );
  }

  /** Looks for tools in a tab again, where its site is allowed. */
  async function probe(tab: number): Promise<void> {
    const current = await settings.get();
    if (!isOn(current)) return;
    const place = await injector.look(tab);
    if (!place || !(await grants.lastsOf(place))) return;
    await injector.probe(place, current);
  }

  /** Tabs that are open already come back, or come in, without being loaded again. */
  async function probeAll(): Promise<void> {
    const open = await api.tabs.query({});
    await Promise.allSettled(open.map(async ({ id, discarded }) => id !== undefined && !discarded && probe(id)));
  }

  async function foundTools(sender: Sender): Promise<void> {
    const place = placeOf(sender);
    if (!place || !isOn(await settings.get()) || !(await grants.lastsOf(place))) return;
    await injector.page(place);
  }

  const ownPages = createOwnPages({
    ...{ api, WebSocket, settings, grants, asks, sockets, shown, injector, badge },
    ...{ register, review, probe, probeAll },
    stop: (tab, call) => [...pages].filter(({ place }) => place.tab === tab).forEach((page) => page.stop(call)),
  });

  async function start(): Promise<void> {
    const { hub, paused } = await settings.get();
    sockets.show(hub ? idle(hub) : unpaired);
    badge.pause(paused);
    await asks.resume();
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
  api.runtime.onInstalled.addListener(() => run(register().then(probeAll)));
  api.runtime.onStartup.addListener(() => run(register().then(probeAll)));
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
    // Scripts are registered for lasting permissions only.
    if (status === "complete") run(grants.has(tab).then((has) => (has ? probe(tab) : undefined)));
  });
  api.windows.onRemoved.addListener((window) => run(asks.windowClosed(window)));
  run(start());
}

function isSame(one: Place, other: Place): boolean {
  return one.tab === other.tab && one.origin === other.origin && one.document === other.document;
}

/** The top document of a tab that shows a site, as the browser names it; undefined for all others. */
function placeOf(sender: Sender | undefined): Place | undefined {
  const { tab, frameId, origin, url, documentId, documentLifecycle = "active" } = sender ?? {};
  if (tab?.id === undefined || frameId !== 0 || documentLifecycle === "prerender") return undefined;
  const known = origin ?? (url === undefined ? undefined : new URL(url).origin);
  if (known === undefined || !/^https?:\/\//.test(known)) return undefined;
  return { tab: tab.id, origin: known, document: documentId };
}
