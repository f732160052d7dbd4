// The states of tabs: attached, reloaded, suspended, cut off, silent, gone.
import { missedHeartbeats } from "../link/index.ts";
import type { Clock } from "../link/index.ts";
import { closeReason, plainUrl, visibleText } from "../wire/index.ts";
import type { FrameFromPage, SwitchboardLimits, Payload } from "../wire/index.ts";
import type { Delivery, Tab, TabIdentity } from "./types.ts";
import { covers, nothingOffered } from "./offers.ts";
import type { SharedOffer } from "./offers.ts";
import type { Principal } from "./principal.ts";
import { createTab } from "./directory.ts";
import { createShownOffers } from "./shown-offers.ts";
import type { Pins } from "./shown-offers.ts";

/** A page's description of itself when it is attached. */
export interface PageGreeting {
  readonly title?: string | undefined;
  readonly url?: string | undefined;
  readonly focused?: boolean | undefined;
  /** The epochs of its memory. */
  readonly epochs?: readonly string[] | undefined;
  /** Whether it can ask the person in front of it about a call. */
  readonly approves?: boolean | undefined;
  /** Calls that the page still runs. */
  readonly running: readonly string[];
}

/** An attached page, from its hello to the end of its link. */
export interface TabSession {
  /** Handles a frame from the page; throws a named error for an offer that agents cannot be shown. */
  receive(frame: FrameFromPage, payload: Payload): void;
  /** The page's link ended: for good, or perhaps only for a while. */
  lost(how: "gone" | "cut"): void;
}

export interface Arrival {
  readonly identity: TabIdentity;
  readonly greeting: PageGreeting;
  readonly delivery: Delivery;
}

export interface TabKeeper {
  attach(principal: Principal, arrival: Arrival): TabSession;
  /** Removes a tab at once; its calls end. */
  remove(principal: Principal, tab: Tab): void;
  /** Call this when the tools that agents may see have changed. */
  review(principal: Principal): void;
}

interface TabKeeperOptions {
  readonly clock: Clock;
  readonly limits: SwitchboardLimits;
  readonly onRemoved: (principal: string) => void;
  readonly pins: Pins | undefined;
}

/** The part of a page's description that may change while it is attached. */
type Description = Partial<Pick<PageGreeting, "title" | "url" | "focused" | "epochs">>;

export function createTabKeeper({ clock, limits, onRemoved, pins }: TabKeeperOptions): TabKeeper {
  const shown = createShownOffers(pins);
  let focusCount = 0;

  function attach(principal: Principal, { identity, greeting, delivery }: Arrival): TabSession {
    const { directory, calls, changes } = principal;
    const known = directory.tabs.get(identity.tabId);
    if (!known) principal.budget.admitTab(directory.tabs.size, identity.allowed);
    const tab = known ?? createTab(identity);
    if (known?.delivery) {
      known.delivery.close(closeReason("tab-replaced"));
      calls.tabChanged(tab, "tab-cut");
    }
    if (isAnotherPage(tab, { identity, greeting })) clear(principal, tab);
    directory.add(tab);
    tab.delivery = delivery;
    tab.hasLeft = false;
    tab.approves = greeting.approves === true;
    tab.app = identity.app;
    tab.allowed = identity.allowed;
    if (tab.offer) settle(principal, tab);
    tab.epochs = [];
    describe(tab, greeting);
    setState(principal, tab, "connected");
    watchHeart(principal, tab);
    calls.tabReturned(tab, greeting.running);
    changes.note();

    return {
      receive(frame, payload) {
        if (tab.delivery === delivery) receive(principal, tab, { frame, payload });
      },
      lost(how) {
        if (tab.delivery === delivery) lose(principal, tab, how);
      },
    };
  }

  function receive(
    principal: Principal,
    tab: Tab,
    { frame, payload }: { frame: FrameFromPage; payload: Payload },
  ): void {
    tab.lastSeen = clock.now();
    if (tab.state === "silent") setState(principal, tab, "connected");
    switch (frame.type) {
      case "offer":
        return takeOffer(principal, tab, (actual) => principal.budget.take(payload, actual, tab.allowed));
      case "offer-change":
        return takeOffer(principal, tab, (actual) =>
          principal.budget.change(actual ?? nothingOffered, payload, tab.allowed),
        );
      case "tab":
        return takeDescription(principal, tab, frame);
      case "suspended":
        return suspend(principal, tab, frame.reason);
      case "resumed":
        tab.hasLeft = false;
        setState(principal, tab, "connected");
        return watchHeart(principal, tab);
      case "updated":
        return principal.updates.note(tab, frame.uri);
      case "bye":
        lose(principal, tab, "gone");
        // A document that is replaced by the next one keeps its tools listed until that one is attached.
        if (frame.final) remove(principal, tab);
        return;
      case "hello":
      case "heartbeat":
      case "wake":
        return;
      default:
        return principal.calls.receive(tab, frame, payload);
    }
  }

  function takeDescription(principal: Principal, tab: Tab, said: Description): void {
    const epoch = tab.epochs.at(-1);
    describe(tab, said);
    principal.directory.update(tab);
    if (tab.epochs.at(-1) !== epoch) principal.calls.tabReady(tab);
    principal.changes.note();
  }

  function describe(tab: Tab, said: Description): void {
    tab.lastSeen = clock.now();
    if (said.title !== undefined) tab.title = visibleText(said.title);
    if (said.url !== undefined) tab.url = visibleText(plainUrl(said.url));
    if (said.epochs) tab.epochs = said.epochs;
    if (said.focused) tab.focusedAt = ++focusCount;
  }

  function setState(principal: Principal, tab: Tab, state: Tab["state"]): void {
    tab.state = state;
    principal.directory.update(tab);
    principal.changes.note();
  }

  /** A page that came back keeps its earlier offer until it offers all of it again or its grace time is over. */
  function settle(principal: Principal, tab: Tab): void {
    tab.stopSettling?.();
    if (tab.actual && tab.actual !== tab.offer) release(principal, tab.actual);
    tab.actual = undefined;
    tab.settling = true;
    tab.stopSettling = clock.after(limits.graceTime, () => adopt(principal, tab));
  }

  function takeOffer(principal: Principal, tab: Tab, make: (actual: SharedOffer | undefined) => SharedOffer): void {
    const before = tab.actual;
    const whole = make(before && shown.whole(before));
    tab.actual = shown.of(whole, tab);
    if (before && before !== tab.offer) release(principal, before);
    if (tab.actual === tab.offer) release(principal, tab.actual);
    if (!tab.settling || covers(whole, tab.offer && shown.whole(tab.offer))) adopt(principal, tab);
    else principal.calls.tabReady(tab);
  }

  function release(principal: Principal, offer: SharedOffer): void {
    principal.budget.release(shown.whole(offer));
  }

  function review(principal: Principal): void {
    for (const tab of principal.directory.tabs.values()) {
      const again = (offer: SharedOffer | undefined) => offer && shown.of(shown.whole(offer), tab);
      const [offer, actual] = [again(tab.offer), again(tab.actual)];
      if (offer === tab.offer && actual === tab.actual) continue;
      // Two parts of one offer are now equal.
      if (tab.offer !== tab.actual && offer && offer === actual) release(principal, offer);
      tab.offer = offer;
      tab.actual = actual;
      principal.directory.regroup(tab);
      principal.calls.tabReady(tab);
      principal.changes.note();
    }
  }

  function adopt(principal: Principal, tab: Tab): void {
    tab.stopSettling?.();
    tab.settling = false;
    if (tab.offer && tab.offer !== tab.actual) release(principal, tab.offer);
    tab.offer = tab.actual;
    principal.directory.regroup(tab);
    principal.calls.tabReady(tab);
    principal.changes.note();
  }

  function suspend(principal: Principal, tab: Tab, reason: Tab["suspension"]): void {
    // Browsers freeze pages in the back/forward cache: the first suspension has the better reason.
    if (tab.state === "suspended" && tab.suspension === "back-forward-cache") return;
    tab.suspension = reason;
    principal.calls.tabChanged(tab, "tab-suspended");
    setState(principal, tab, "suspended");
    tab.stopTimer?.();
    if (reason === "back-forward-cache") {
      tab.hasLeft = true;
      tab.stopTimer = clock.after(limits.graceTime, () => {
        tab.delivery?.close(closeReason("normal", "in the back/forward cache"));
        remove(principal, tab);
      });
    }
  }

  function lose(principal: Principal, tab: Tab, how: "gone" | "cut"): void {
    tab.delivery = undefined;
    tab.hasLeft ||= how === "gone";
    tab.stopOrphans?.();
    tab.stopSettling?.();
    principal.calls.tabChanged(tab, how === "gone" ? "tab-left" : "tab-cut");
    setState(principal, tab, "away");
    tab.stopTimer?.();
    tab.stopTimer = clock.after(limits.graceTime, () => remove(principal, tab));
  }

  function remove(principal: Principal, tab: Tab): void {
    tab.stopTimer?.();
    tab.stopOrphans?.();
    tab.delivery = undefined;
    principal.directory.remove(tab);
    clear(principal, tab);
    principal.changes.note();
    onRemoved(tab.principal);
  }

  /** Withdraws a page's offer and ends its calls. */
  function clear(principal: Principal, tab: Tab): void {
    tab.stopSettling?.();
    if (tab.actual && tab.actual !== tab.offer) release(principal, tab.actual);
    if (tab.offer) release(principal, tab.offer);
    tab.offer = tab.actual = undefined;
    principal.directory.regroup(tab);
    // The page may be alive, and a call that it has not acked yet may still reach it.
    principal.calls.tabChanged(tab, "tab-cut");
    principal.calls.tabChanged(tab, "tab-gone");
  }

  /** Sends heartbeats to the page's script; a socket answers pings even while no script runs. */
  function watchHeart(principal: Principal, tab: Tab): void {
    tab.stopTimer?.();
    tab.stopTimer = clock.after(limits.heartbeatTime, () => {
      const quiet = clock.now() - tab.lastSeen;
      if (tab.state === "connected" && quiet > limits.heartbeatTime * missedHeartbeats)
        setState(principal, tab, "silent");
      tab.delivery?.send({ type: "heartbeat" });
      watchHeart(principal, tab);
    });
  }

  return { attach, remove, review };
}

/**
 * Whether a different page came back to this tab: at another address, or of another app. A page that was only cut off may
 * have changed its own address.
 */
function isAnotherPage(tab: Tab, { identity, greeting }: Pick<Arrival, "identity" | "greeting">): boolean {
  const { url = tab.url } = greeting;
  return tab.hasLeft && (identity.app !== tab.app || plainUrl(url) !== tab.url);
}
