// The states of tabs: attached, reloaded, suspended, cut off, silent, gone.
import { missedHeartbeats } from "../link/index.ts";
import { closeReason, plainUrl, visibleText } from "../wire/index.ts";
import type { FrameFromPage, Payload } from "../wire/index.ts";
import type { Delivery, Tab, TabIdentity } from "./types.ts";
import { nothingOffered } from "./offers.ts";
import type { Principal } from "./principal.ts";
import { createTab } from "./directory.ts";
import { createTabOffers } from "./tab-offers.ts";
import type { TabOffers, TabOffersOptions } from "./tab-offers.ts";

/** A page's description of itself when it is attached. */
export interface PageGreeting {
  readonly title?: string | undefined;
  readonly url?: string | undefined;
  readonly focused?: boolean | undefined;
  readonly epochs?: readonly string[] | undefined;
  /** Whether it can ask the person in front of it about a call. */
  readonly approves?: boolean | undefined;
  /** Calls that the page still runs. */
  readonly running: readonly string[];
}

/** An attached page, from its hello to the end of its link. */
export interface TabSession {
  readonly tab: Tab;
  /** Handles a frame from the page; throws a named error for an offer that agents cannot be shown. */
  receive(frame: FrameFromPage, payload: Payload): void;
  /** The page's link ended: for good, or perhaps only for a while. */
  lost(how: "gone" | "cut"): void;
}

/** A tab that was removed while its page is open; the epoch tells that page from the next one in the same tab. */
export interface RemovedTab extends Pick<Tab, "app" | "origin" | "title" | "url"> {
  readonly epoch: string | undefined;
}

export interface Arrival {
  readonly identity: TabIdentity;
  readonly greeting: PageGreeting;
  readonly delivery: Delivery;
}

interface TabKeeperOptions extends TabOffersOptions {
  readonly onRemoved: (principal: string) => void;
}

/** The part of a page's description that may change while it is attached. */
type Description = Partial<Pick<PageGreeting, "title" | "url" | "focused" | "epochs">>;

export class TabKeeper {
  readonly #options: TabKeeperOptions;
  readonly #offers: TabOffers;
  #focusCount = 0;

  constructor(options: TabKeeperOptions) {
    this.#options = options;
    this.#offers = createTabOffers(options);
  }

  attach(principal: Principal, { identity, greeting, delivery }: Arrival): TabSession {
    const { directory, calls, changes } = principal;
    const known = directory.tabs.get(identity.tabId);
    if (!known) principal.budget.admitTab(directory.tabs.size, identity.allowed);
    const tab = known ?? createTab(identity);
    if (known?.delivery) {
      known.delivery.close(closeReason("tab-replaced"));
      calls.tabChanged(tab, "tab-cut");
    }
    if (isAnotherPage(tab, { identity, greeting })) this.#clear(principal, tab);
    directory.add(tab);
    tab.delivery = delivery;
    tab.hasLeft = false;
    tab.approves = greeting.approves === true;
    tab.app = identity.app;
    tab.identity = identity;
    tab.connectedAt = this.#options.clock.now();
    if (tab.offer) this.#offers.settle(principal, tab);
    tab.epochs = [];
    this.#describe(tab, greeting);
    setState(principal, tab, "connected");
    this.#sendHeartbeats(principal, tab);
    calls.tabReturned(tab, greeting.running);
    changes.note();

    return {
      tab,
      receive: (frame, payload) => {
        if (tab.delivery === delivery) this.#receive(principal, tab, { frame, payload });
      },
      lost: (how) => {
        if (tab.delivery === delivery) this.#lose(principal, tab, how);
      },
    };
  }

  /** Removes a tab at once; its calls end, and so does its link. */
  disconnect(principal: Principal, tab: Tab): RemovedTab {
    const { app, origin, title, url, epochs, delivery } = tab;
    this.remove(principal, tab);
    delivery?.close(closeReason("tab-disconnected"));
    return { app, origin, title, url, epoch: epochs.at(-1) };
  }

  /** Removes a tab at once; its calls end. */
  remove(principal: Principal, tab: Tab): void {
    tab.stopTimer?.();
    tab.stopOrphans?.();
    tab.delivery = undefined;
    principal.directory.remove(tab);
    this.#clear(principal, tab);
    principal.changes.note();
    this.#options.onRemoved(tab.principal);
  }

  /** Call this when the tools that agents may see have changed. */
  review(principal: Principal): void {
    this.#offers.review(principal);
  }

  #receive(principal: Principal, tab: Tab, { frame, payload }: { frame: FrameFromPage; payload: Payload }): void {
    const { budget, calls, updates } = principal;
    tab.lastSeen = this.#options.clock.now();
    if (tab.state === "silent") setState(principal, tab, "connected");
    switch (frame.type) {
      case "offer":
        return this.#offers.take(principal, tab, (actual) => budget.take(payload, actual, tab.identity.allowed));
      case "offer-change":
        return this.#offers.take(principal, tab, (actual = nothingOffered) =>
          budget.change(actual, payload, tab.identity.allowed),
        );
      case "tab":
        return this.#takeDescription(principal, tab, frame);
      case "suspended":
        return this.#suspend(principal, tab, frame);
      case "resumed":
        tab.hasLeft = false;
        setState(principal, tab, "connected");
        return this.#sendHeartbeats(principal, tab);
      case "updated":
        return updates.note(tab, frame.uri);
      case "bye":
        this.#lose(principal, tab, "gone");
        // A document that is replaced by the next one keeps its tools listed until that one is attached.
        if (frame.final) this.remove(principal, tab);
        return;
      case "hello":
      case "heartbeat":
      case "wake":
        return;
      default:
        return calls.receive(tab, frame, payload);
    }
  }

  #takeDescription(principal: Principal, tab: Tab, description: Description): void {
    const epoch = tab.epochs.at(-1);
    this.#describe(tab, description);
    principal.directory.update(tab);
    if (tab.epochs.at(-1) !== epoch) principal.calls.tabReady(tab);
    principal.changes.note();
  }

  #describe(tab: Tab, { title, url, epochs, focused }: Description): void {
    tab.lastSeen = this.#options.clock.now();
    if (title !== undefined) tab.title = visibleText(title);
    if (url !== undefined) tab.url = visibleText(plainUrl(url));
    if (epochs) tab.epochs = epochs;
    if (focused) tab.focusedAt = ++this.#focusCount;
  }

  #suspend(principal: Principal, tab: Tab, { reason, final }: Extract<FrameFromPage, { type: "suspended" }>): void {
    // Browsers freeze pages in the back/forward cache: the first suspension has the better reason.
    if (tab.state === "suspended" && tab.suspension !== "frozen") return;
    const { clock, limits } = this.#options;
    tab.suspension = reason;
    principal.calls.tabChanged(tab, "tab-suspended");
    setState(principal, tab, "suspended");
    tab.stopTimer?.();
    if (reason === "frozen") return;
    tab.hasLeft = true;
    // With another page in its place it is gone. If the user comes back, it connects again.
    tab.stopTimer = clock.after(final ? 0 : limits.graceTime, () => {
      tab.delivery?.close(closeReason("normal"));
      this.remove(principal, tab);
    });
  }

  #lose(principal: Principal, tab: Tab, how: "gone" | "cut"): void {
    const { clock, limits } = this.#options;
    tab.delivery = undefined;
    tab.hasLeft ||= how === "gone";
    tab.stopOrphans?.();
    tab.stopSettling?.();
    principal.calls.tabChanged(tab, how === "gone" ? "tab-left" : "tab-cut");
    setState(principal, tab, "away");
    tab.stopTimer?.();
    tab.stopTimer = clock.after(limits.graceTime, () => this.remove(principal, tab));
  }

  /** Withdraws a page's offer and ends its calls. */
  #clear(principal: Principal, tab: Tab): void {
    this.#offers.withdraw(principal, tab);
    // The page may be alive, and a call that it has not acked yet may still reach it.
    principal.calls.tabChanged(tab, "tab-cut");
    principal.calls.tabChanged(tab, "tab-gone");
  }

  /** Sends heartbeats to the page's script; a socket answers pings even while no script runs. */
  #sendHeartbeats(principal: Principal, tab: Tab): void {
    const { clock, limits } = this.#options;
    tab.stopTimer?.();
    tab.stopTimer = clock.after(limits.heartbeatTime, () => {
      const quiet = clock.now() - tab.lastSeen;
      if (tab.state === "connected" && quiet > limits.heartbeatTime * missedHeartbeats)
        setState(principal, tab, "silent");
      tab.delivery?.send({ type: "heartbeat" });
      this.#sendHeartbeats(principal, tab);
    });
  }
}

function setState({ directory, changes }: Principal, tab: Tab, state: Tab["state"]): void {
  tab.state = state;
  directory.update(tab);
  changes.note();
}

/**
 * Whether a different page came back to this tab: at another address, or of another app. A page that was only cut off may
 * have changed its own address.
 */
function isAnotherPage(tab: Tab, { identity, greeting }: Pick<Arrival, "identity" | "greeting">): boolean {
  const { url = tab.url } = greeting;
  return tab.hasLeft && (identity.app !== tab.app || plainUrl(url) !== tab.url);
}
