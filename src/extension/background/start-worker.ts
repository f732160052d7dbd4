// The extension's worker. The browser may stop it at any time, and starts it again for an event: so every listener is there
// at once, and what has to outlive it is in storage.
import type { SocketClass } from "../../link/index.ts";
import type { ExtensionApi } from "../browser-api.ts";
import type { FromProbe } from "../messages.ts";
import { parseFromOwnPage } from "../port/parse-messages.ts";
import { createAsks } from "./asks.ts";
import type { Asks } from "./asks.ts";
import { createBadge } from "./badge.ts";
import { createGrants } from "./grants.ts";
import { createHubSockets } from "./hub-sockets.ts";
import { keepSettings } from "./keep-settings.ts";
import { createOpenPages } from "./open-pages.ts";
import { createOwnPages } from "./own-pages.ts";
import { createSavedTexts, savedPrefix } from "./saved-texts.ts";
import { createShownTabs } from "./shown-tabs.ts";
import { createSiteScripts } from "./site-scripts.ts";
import { createStored } from "./stored.ts";
import { createTabIds } from "./tab-ids.ts";

export interface WorkerPowers {
  readonly WebSocket: SocketClass;
  readonly now?: () => number;
  readonly newId?: () => string;
}

/** In storage.session: the scripts are registered, and the tabs that were open have been looked into. */
const started = "started";

/** Starts the worker: called at the top of its script. */
export function startWorker(api: ExtensionApi, powers: WorkerPowers): void {
  const parts = createParts(api, powers);
  listenToScripts(api, parts);
  listenToBrowser(api, parts);
  run(start(parts));
}

type Parts = ReturnType<typeof createParts>;

function createParts(api: ExtensionApi, powers: WorkerPowers) {
  const { WebSocket, now = Date.now, newId = () => crypto.randomUUID() } = powers;
  const session = createStored(api.storage.session, (name) => name.startsWith(savedPrefix));
  const settings = keepSettings(api);
  const grants = createGrants(api, { settings, session });
  const shown = createShownTabs(session, now);
  const saved = createSavedTexts(session);
  const tabIds = createTabIds(session, newId);
  const badge = createBadge(api);
  const sockets = createHubSockets({ WebSocket, session });
  const scripts = createSiteScripts(api, { settings, grants, shown });
  const asks: Asks = createAsks(api, {
    ...{ session, now, changed: badge.asks },
    titleOf: async (tab) => (await api.tabs.get(tab).catch(() => undefined))?.title ?? "",
    deliver: (place, ask, answer) => pages.answer(place, ask, answer),
  });
  const pages = createOpenPages({ api, scripts, sockets, asks, shown, saved, badge, tabId: tabIds.get });
  const ownPages = createOwnPages({
    ...{ api, session, WebSocket, settings, grants, asks, sockets, shown, badge },
    ...{ ...scripts, injector: scripts, review: pages.review, stop: pages.stop },
  });
  return { session, settings, grants, shown, saved, tabIds, badge, sockets, scripts, asks, pages, ownPages };
}

async function start({ session, settings, sockets, badge, asks, pages, scripts }: Parts): Promise<void> {
  const { hub, paused } = await settings.get();
  sockets.start(hub);
  badge.pause(paused);
  for (const place of await asks.resume()) pages.expectBack(place);
  // Empty after an installation, an update, a start of the browser, and once the extension is switched on again.
  if ((await session.get(started)) === true) return;
  await scripts.register();
  await scripts.probeAll();
  await session.change(started, () => true);
}

/** The extension's scripts in pages, and its own pages. */
function listenToScripts({ runtime }: ExtensionApi, { pages, scripts, ownPages }: Parts): void {
  runtime.onConnect.addListener((port) => run(pages.connected(port)));
  runtime.onMessage.addListener((message, sender, answer) => {
    if (sender.id !== runtime.id) return undefined;
    if (sender.url?.startsWith(runtime.getURL(""))) {
      const known = parseFromOwnPage(message);
      if (!known) return undefined;
      void ownPages.take(known).then(answer);
      return true;
    }
    if ((message as Partial<FromProbe> | undefined)?.type === "tools-here") run(scripts.foundTools(sender));
    return undefined;
  });
}

function listenToBrowser(api: ExtensionApi, parts: Parts): void {
  const { grants, shown, saved, tabIds, badge, scripts, asks, pages, ownPages } = parts;
  api.permissions.onAdded.addListener(({ origins = [] }) => run(ownPages.added(origins)));
  api.permissions.onRemoved.addListener(() => run(Promise.all([scripts.register(), pages.review()])));
  api.tabs.onRemoved.addListener((tab) => {
    shown.remove(tab);
    saved.remove(tab);
    badge.forget(tab);
    const removed = grants.removeTab(tab).then((hadSite) => (hadSite ? scripts.register() : undefined));
    run(Promise.all([removed, tabIds.remove(tab), asks.drop(tab)]));
  });
  api.tabs.onReplaced?.addListener((added, removed) => {
    shown.remove(removed);
    badge.forget(removed);
    run(Promise.all([tabIds.move(removed, added), saved.move(removed, added), grants.moveTab(removed, added)]));
  });
  api.tabs.onUpdated.addListener((tab, { status }) => {
    if (status === "complete") run(scripts.arrived(tab));
  });
  api.windows.onRemoved.addListener((window) => run(asks.windowClosed(window)));
}

function run(work: Promise<unknown>): void {
  work.catch(console.error);
}
