// What the person does in the extension's own pages: the popup, the options and the questions.
import type { SocketClass } from "../../link/index.ts";
import { messageOf } from "../../wire/index.ts";
import type { ExtensionApi } from "../browser-api.ts";
import type { FromOwnPage, Reply } from "../messages.ts";
import { originPattern, patternOrigin } from "../origin-pattern.ts";
import { siteOf } from "../settings.ts";
import type { Settings } from "../settings.ts";
import type { Asks } from "./asks.ts";
import type { Badge } from "./badge.ts";
import type { Grants } from "./grants.ts";
import { idle, unpaired } from "./hub-sockets.ts";
import type { HubSockets } from "./hub-sockets.ts";
import type { Injector } from "./inject.ts";
import type { KeptSettings } from "./keep-settings.ts";
import { pair, unpair } from "./pair.ts";
import type { ShownTabs } from "./shown-tabs.ts";
import type { Stored } from "./stored.ts";

export interface OwnPagesOptions {
  readonly api: Pick<ExtensionApi, "permissions" | "runtime">;
  readonly session: Stored;
  readonly WebSocket: SocketClass;
  readonly settings: KeptSettings;
  readonly grants: Grants;
  readonly asks: Asks;
  readonly sockets: HubSockets;
  readonly shown: ShownTabs;
  readonly injector: Pick<Injector, "look">;
  readonly badge: Badge;
  register(): Promise<void>;
  review(): Promise<void>;
  probe(tab: number): Promise<void>;
  probeAll(): Promise<void>;
  /** A tab may be one that the extension could not see before. */
  arrived(tab: number): Promise<void>;
  /** False if no page in the tab runs the call. */
  stop(tab: number, call: string): boolean;
}

export interface OwnPages {
  /** Never rejects: a failure is a sentence for the person. */
  take(message: FromOwnPage): Promise<Reply>;
  /** The browser granted these patterns. */
  added(patterns: readonly string[]): Promise<void>;
}

/** The origin for which a page of the extension last asked for the browser's permission. */
const askingFor = "asking-for";

type Message<Type> = Extract<FromOwnPage, { readonly type: Type }>;

export function createOwnPages(options: OwnPagesOptions): OwnPages {
  const { api, session, WebSocket, settings, grants, asks, sockets, shown, injector, badge } = options;
  const { register, review, probe, probeAll, arrived, stop } = options;
  const patternOf = (origin: string) => originPattern(origin, api.runtime);

  async function pairWith({ address, code, browser }: Message<"pair">): Promise<void> {
    const hub = await pair({ address, code, browser }, WebSocket);
    // Pages of the hub before end, and come back to the new one.
    await leaveHub();
    await settings.change((before) => ({ ...before, hub }));
    sockets.show(idle(hub));
    await probeAll();
  }

  async function leaveHub(): Promise<void> {
    const { hub } = await settings.get();
    await settings.change((before) => ({ ...before, hub: undefined }));
    await review();
    sockets.show(unpaired);
    if (hub) void unpair(hub, WebSocket).catch(() => {});
  }

  async function pause(paused: boolean): Promise<void> {
    await settings.change((before) => ({ ...before, paused }));
    badge.pause(paused);
    await (paused ? review() : probeAll());
  }

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

  function stopCall({ tab, call }: Message<"stop-call">): void {
    if (!stop(tab, call)) throw new Error("The call is over, or its page is gone.");
  }

  async function answer({ ask, answer: given }: Message<"answer">): Promise<void> {
    if (!(await asks.answer(ask, given))) throw new Error("The question is over: its call ended.");
  }

  function run(message: FromOwnPage): Promise<void> | void {
    switch (message.type) {
      case "pair":
        return pairWith(message);
      case "unpair":
        return leaveHub();
      case "opened":
        return arrived(message.tab);
      case "pause":
        return pause(message.paused);
      case "allow":
        return allow(message);
      case "asking":
        return session.change(askingFor, () => message.origin);
      case "remove-site":
        return removeSite(message.origin);
      case "site":
        return changeSite(message);
      case "stop-call":
        return stopCall(message);
      case "answer":
        return answer(message);
    }
  }

  return {
    async take(message) {
      try {
        await run(message);
        return { ok: true };
      } catch (error) {
        return { ok: false, message: messageOf(error) };
      }
    },
    async added(patterns) {
      // A permission of Firefox does not say for which port it was asked.
      const asked = await session.get(askingFor);
      const isAsked = typeof asked === "string" && URL.canParse(asked) && patterns.includes(patternOf(asked));
      await takeBack(isAsked ? [asked] : patterns.flatMap((pattern) => patternOrigin(pattern) ?? []), "always");
      await session.change(askingFor, () => undefined);
      await register();
      await probeAll();
    },
  };
}
