// The worker's end of one page's port. Everything about the page that counts is what the browser says about the sender.
import type { ExtensionApi, RuntimePort } from "../browser-api.ts";
import type { PersonAnswer, ToPage } from "../messages.ts";
import { createWorkerLinks } from "../port/port-links.ts";
import { parseFromPage } from "../port/parse-messages.ts";
import { captureTab } from "../reading/capture-tab.ts";
import { siteOf } from "../settings.ts";
import type { Settings } from "../settings.ts";
import type { Asks } from "./asks.ts";
import type { Badge } from "./badge.ts";
import type { Place } from "./grants.ts";
import type { HubSockets } from "./hub-sockets.ts";
import type { SavedTexts } from "./saved-texts.ts";
import type { ShownTabs } from "./shown-tabs.ts";

export interface PagePort {
  readonly place: Place;
  /** Sends the settings, also after a change of them. */
  settle(settings: Settings): Promise<void>;
  answer(ask: string, answer: PersonAnswer): void;
  /** False if the page runs no such call. */
  stop(call: string): boolean;
  /** Ends the page for good: later settings do not bring it back. */
  leave(): void;
}

export interface PagePortPowers {
  readonly api: Pick<ExtensionApi, "tabs">;
  readonly sockets: HubSockets;
  readonly asks: Asks;
  readonly shown: ShownTabs;
  readonly saved: SavedTexts;
  readonly badge: Badge;
  /** The settings, where the site may offer its tools in this document now. */
  allowed(place: Place): Promise<Settings | undefined>;
  /** The identity of a tab at the hub. */
  tabId(tab: number): Promise<string>;
  ended(page: PagePort): void;
}

/** In milliseconds. */
const goodbyeTime = 1000;

export function servePagePort(port: RuntimePort, place: Place, powers: PagePortPowers): PagePort {
  const { api, sockets, asks, shown, saved, badge, allowed, tabId, ended } = powers;
  const { tab, origin } = place;
  const running = new Set<string>();
  let isOpen = true;
  /** A page says nothing before it has its settings. */
  let isIn = false;
  let isLeaving = false;

  const post = (message: ToPage) => void (isOpen && port.postMessage(message));

  const links = createWorkerLinks({
    post,
    async onLink(link) {
      const { hub } = (await allowed(place)) ?? {};
      if (!hub || isLeaving) throw new Error("this site may not offer its tools in this browser now");
      const app = new URL(origin).hostname.slice(0, 128);
      await sockets.carry(hub, link, { origin, app, tab: await tabId(tab) });
    },
  });

  async function capture(id: string): Promise<void> {
    const settings = await allowed(place);
    const isAllowed = settings !== undefined && siteOf(settings, origin).reading;
    const message = "The person does not let agents read this site.";
    post({ type: "captured", capture: id, ...(isAllowed ? await captureTab(api, tab) : { message }) });
  }

  function take(given: unknown): void {
    const message = isIn ? parseFromPage(given) : undefined;
    switch (message?.type) {
      case "open":
      case "message":
      case "close":
        return links.take(message);
      case "save":
        return saved.set(place, message.name, message.value);
      case "state":
        return shown.update(place, { state: message.state });
      case "tools":
        return shown.update(place, { tools: message.tools, note: message.note });
      case "call": {
        const { call, stopped } = message;
        if (call.event === "started") running.add(call.id);
        if (call.event === "ended") running.delete(call.id);
        badge.calls(tab, running.size);
        return shown.call(place, call, stopped);
      }
      case "ask":
        return void asks.add(place, message.ask, message.question).catch(console.error);
      case "ask-over":
        return void asks.over(place, message.ask).catch(console.error);
      case "asking":
        return void asks.only(place, message.asks).catch(console.error);
      case "capture":
        return void capture(message.capture).catch(console.error);
      case undefined:
        return;
    }
  }

  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    links.end();
    badge.calls(tab, 0);
    ended(page);
  }

  port.onMessage.addListener(take);
  port.onDisconnect.addListener(end);

  const page: PagePort = {
    place,
    async settle({ hub, paused, sites }) {
      const [id, texts] = [await tabId(tab), await saved.get(place)];
      if (isLeaving) return;
      isIn = true;
      const site = siteOf({ sites }, origin);
      post({ type: "settings", tab: id, hub: hub?.address, paused, site, saved: texts });
    },
    answer: (ask, answer) => post({ type: "answer", ask, answer }),
    stop(call) {
      if (running.has(call)) post({ type: "stop", call });
      return running.has(call);
    },
    leave() {
      if (isLeaving) return;
      isLeaving = true;
      post({ type: "leave" });
      // The page says goodbye to the hub itself.
      setTimeout(() => {
        end();
        port.disconnect();
      }, goodbyeTime);
    },
  };
  return page;
}
