// The person's choices in the extension's own pages: the popup, the options and the questions.
import type { SocketClass } from "../../link/index.ts";
import { messageOf } from "../../wire/index.ts";
import type { FromOwnPage, Reply } from "../messages.ts";
import { originPattern, patternOrigin } from "../origin-pattern.ts";
import type { Asks } from "./asks.ts";
import type { Badge } from "./badge.ts";
import { idle, unpaired } from "./hub-sockets.ts";
import type { HubSockets } from "./hub-sockets.ts";
import { pair, unpair } from "./pair.ts";
import { createSiteChoices } from "./site-choices.ts";
import type { SiteChoicesOptions } from "./site-choices.ts";
import type { Stored } from "./stored.ts";

export interface OwnPagesOptions extends SiteChoicesOptions {
  readonly session: Stored;
  readonly WebSocket: SocketClass;
  readonly asks: Asks;
  readonly sockets: HubSockets;
  readonly badge: Badge;
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
  const { api, session, WebSocket, settings, asks, sockets, badge } = options;
  const { register, review, probeAll, arrived, stop } = options;
  const sites = createSiteChoices(options);
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
        return sites.allow(message);
      case "asking":
        return session.change(askingFor, () => message.origin);
      case "remove-site":
        return sites.remove(message.origin);
      case "site":
        return sites.change(message);
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
      await sites.takeBack(isAsked ? [asked] : patterns.flatMap((pattern) => patternOrigin(pattern) ?? []), "always");
      await session.change(askingFor, () => undefined);
      await register();
      await probeAll();
    },
  };
}
