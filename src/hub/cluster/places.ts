// The tabs of this hub as other hubs follow them. A page's frames about its offer and state go to the local switchboard and
// to every follower; those about a call to the hub whose call it is. Frames of other hubs are passed to the page unread.
import type { Clock } from "../../link/index.ts";
import type { Delivery, TabIdentity, TabSession } from "../../switchboard/index.ts";
import { PagewireError, encodeFrame, textOf } from "../../wire/index.ts";
import type { CloseReason, FrameFromPage, Limits, Message, OnOver, Payload } from "../../wire/index.ts";
import type { Amounts, SharedUse } from "../common/shared-use.ts";
import type { Followed } from "./followed.ts";
import type { Head, Post, Room, To } from "./messages.ts";
import type { PageCarrier, RelayedTab } from "../sockets/cluster-seam.ts";
import { mergeOffer } from "./merge-offer.ts";

export interface PlacesOptions extends Room {
  readonly clock: Clock;
  readonly limits: Pick<Limits, "cutTime" | "frameBytes" | "tabsPerPrincipal">;
  readonly use: SharedUse;
  readonly onOver: OnOver;
  /** Sends a message to another hub. */
  readonly post: Post;
  readonly isUp: () => boolean;
}

const aborted = {
  outcome: "outcome-unknown",
  ran: "maybe",
  code: "outcome-unknown",
  message:
    "The hub of the tab lost this hub, and aborted the call; it may have done its work. Look before you try again.",
} as const;

const tooMuch = {
  outcome: "outcome-unknown",
  ran: "maybe",
  code: "too-slow",
  message:
    "The call ended, and its result was dropped: the hub of the agent has not read this user's other results yet.",
} as const;

/** So many changes of an offer are kept as they came. */
const maxChanges = 16;

/** A principal with tabs here, or with agents at other hubs. */
interface Place extends Amounts {
  readonly relays: Set<Relay>;
  readonly followers: Set<string>;
}

export class Places {
  readonly #options: PlacesOptions;
  readonly #places = new Map<string, Place>();
  readonly #relays = new Map<string, Relay>();
  readonly #byTab = new Map<string, Relay>();
  #links = 0;
  #lastFocus = 0;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** Attaches a page to the local switchboard by `attach`, and announces it to the hubs that follow its principal. */
  attach(identity: TabIdentity, page: RelayedPage): RelayedTab {
    const { principal } = identity;
    const place = this.#placeOf(principal);
    if (page.isNew) this.#admit(identity, place);
    const relay: Relay = new Relay(`${++this.#links}`, identity, {
      ...{ ...this.#options, page, place },
      focusTime: () => (this.#lastFocus = Math.max(this.#lastFocus + 1, focusBase + this.#options.clock.now())),
      onLeft: () => {
        place.relays.delete(relay);
        this.#relays.delete(relay.link);
        if (this.#byTab.get(identity.tabId) === relay) this.#byTab.delete(identity.tabId);
        this.#tidy(principal, place);
        this.#options.use.changed(principal, place);
      },
    });
    // Throws for a tab too many.
    relay.attach();
    place.relays.add(relay);
    this.#places.set(principal, place);
    this.#relays.set(relay.link, relay);
    this.#byTab.set(identity.tabId, relay);
    this.#options.use.changed(principal, place);
    relay.announce(place.followers, page.running);
    return relay;
  }

  /** The switchboard counts the tabs that it knows: there may be others at hubs whose tabs of this principal are not followed. */
  #admit({ principal, allowed }: TabIdentity, place: Place): void {
    const { limits, use, onOver } = this.#options;
    const max = allowed?.tabsPerPrincipal ?? limits.tabsPerPrincipal;
    if (place.relays.size + use.elsewhere(principal, "tabsPerPrincipal", max) < max) return;
    onOver("tabsPerPrincipal");
    const message = `${max} tabs of one user are open already, some of them at other hubs (limit tabsPerPrincipal). Close some of them.`;
    throw new PagewireError("tabs-too-many", message);
  }

  /** When this hub's own tab of this id was connected; never, if it is not. */
  connectedAt(tabId: string): number {
    return this.#byTab.get(tabId)?.connectedAt ?? -Infinity;
  }

  /** Another hub follows a principal from now on. Its tabs are announced as the hub has room for them. */
  follow(principal: string, hub: string, done: () => void): void {
    const place = this.#placeOf(principal);
    place.followers.add(hub);
    this.#places.set(principal, place);
    const left = [...place.relays].values();
    const next = (): void => {
      while (place.followers.has(hub) && !this.#options.isWaiting({ hub, lane: principal }, next)) {
        const { value: relay } = left.next();
        if (!relay) return done();
        relay.announce([hub], []);
      }
    };
    next();
  }

  /** Announces one tab again to a hub that had no room for it. */
  again(link: string | undefined, hub: string): void {
    const relay = this.find(link);
    if (relay && this.#places.get(relay.identity.principal)?.followers.has(hub)) relay.announce([hub], []);
  }

  unfollow(principal: string, hub: string): void {
    const place = this.#placeOf(principal);
    place.followers.delete(hub);
    this.#tidy(principal, place);
  }

  /** The tab of a link, for messages of other hubs; undefined if it has left. */
  find(link: string | undefined): Relay | undefined {
    return this.#relays.get(link ?? "");
  }

  /** A hub is gone, or begins again. Its calls may go on if it asks for them soon. */
  forget(hub: string, isGone: boolean): void {
    for (const principal of [...this.#places.keys()]) this.unfollow(principal, hub);
    if (isGone) for (const relay of this.#relays.values()) relay.leaveCallsOf(hub);
  }

  /** The bus is back. */
  reached(): void {
    for (const relay of this.#relays.values()) relay.reached();
  }

  /** The number of calls of other hubs that run in tabs here. */
  get carried(): number {
    let sum = 0;
    for (const { carried } of this.#relays.values()) sum += carried;
    return sum;
  }

  #placeOf(principal: string): Place {
    const known = this.#places.get(principal);
    if (known) return known;
    const relays = new Set<Relay>();
    return {
      relays,
      followers: new Set(),
      get tabsPerPrincipal() {
        return relays.size;
      },
    };
  }

  #tidy(principal: string, { relays, followers }: Place): void {
    if (relays.size === 0 && followers.size === 0) this.#places.delete(principal);
  }
}

/** A page, and how it is attached to the local switchboard. */
export interface RelayedPage extends PageCarrier {
  readonly attach: (delivery: Delivery) => TabSession;
  readonly isFocused: boolean;
  /** Whether its tab is not known yet. */
  readonly isNew: boolean;
  /** The calls that it says it still runs. */
  readonly running: readonly string[];
}

/** Moments of focus are those of a hub's clock, far above zero, which means never: also by the clock of a hub that began later. */
const focusBase = 1e13;

interface Owner {
  readonly hub: string;
}

/** A call, and who had it when it was left; a page may name one of unknown hubs. */
type Left = readonly [id: string, owner: Owner | undefined];

interface RelayOptions extends Pick<PlacesOptions, "clock" | "limits" | "post" | "hasRoom" | "isUp" | "onOver"> {
  readonly page: RelayedPage;
  readonly place: Place;
  readonly focusTime: () => number;
  readonly onLeft: () => void;
}

export class Relay implements RelayedTab {
  readonly link: string;
  readonly identity: TabIdentity;
  readonly connectedAt: number;
  readonly #options: RelayOptions;
  /** The hubs of running calls, by the calls' ids, new each time that the page is asked; local calls are not in it. */
  readonly #owners = new Map<string, Owner>();
  /** The page's offer as it sent it, and the changes since. */
  #offer: string[] = [];
  #session: TabSession | undefined;
  /** The calls to abort when other hubs can be reached and do not ask for them. */
  readonly #left: Left[] = [];

  constructor(link: string, identity: TabIdentity, options: RelayOptions) {
    this.link = link;
    this.identity = identity;
    this.#options = options;
    this.connectedAt = options.clock.now();
  }

  get carried(): number {
    return this.#owners.size;
  }

  attach(): void {
    const { delivery, attach, isFocused } = this.#options.page;
    this.#session = attach({
      send: (frame, payload) => {
        const isOfOthers = frame.type === "cancel" && this.#session && !(frame.id in this.#session.tab.calls);
        // The page says that it runs it. Its hub may still ask for it.
        if (isOfOthers) return this.#abort([[frame.id, undefined]]);
        delivery.send(frame, payload);
      },
      close: (reason) => delivery.close(reason),
    });
    if (isFocused) this.#stampFocus();
  }

  receive(frame: FrameFromPage, payload: Payload, message: Message): void {
    const owner = "id" in frame ? this.#owners.get(frame.id) : undefined;
    if (owner !== undefined && "id" in frame) {
      const { principal } = this.identity;
      const isRefused = frame.type === "result" && !this.#options.hasRoom(owner.hub, principal);
      if (isRefused) this.#options.onOver("queuedBytesPerPrincipal");
      const sent = isRefused ? encodeFrame({ type: "failure", id: frame.id, ...tooMuch }, "") : message;
      this.#options.post(this.#to(owner.hub), ["page", this.link], sent);
      if (frame.type === "result" || frame.type === "failure") this.#owners.delete(frame.id);
      return;
    }
    this.#session?.receive(frame, payload);
    if ("id" in frame || frame.type === "hello" || frame.type === "wake") return;
    if (frame.type === "offer") this.#offer = [textOf(payload)];
    if (frame.type === "offer-change") this.#offer.push(textOf(payload));
    if (this.#offer.length > maxChanges) this.#offer = [mergeOffer(this.#offer)];
    const isFocus = frame.type === "tab" && frame.focused === true;
    if (isFocus) this.#stampFocus();
    const head: Head = isFocus ? ["page", this.link, this.#session?.tab.focusedAt ?? 0] : ["page", this.link];
    for (const hub of this.#options.place.followers) this.#options.post(this.#to(hub), head, message);
  }

  lost(how: "gone" | "cut"): void {
    this.#session?.lost(how);
    this.#session = undefined;
    this.#options.onLeft();
    const owners = [...this.#owners.values()].map(({ hub }) => hub);
    for (const hub of new Set([...this.#options.place.followers, ...owners]))
      this.#options.post(this.#to(hub), ["off", this.link, how]);
  }

  announce(hubs: Iterable<string>, running: readonly string[]): void {
    const tab = this.#session?.tab;
    if (!tab) return;
    const { title, url, epochs, approves, focusedAt } = tab;
    const suspension = tab.state === "suspended" ? tab.suspension : undefined;
    const about: Followed = {
      identity: this.identity,
      connectedFor: Math.round(this.#options.clock.now() - this.connectedAt),
      ...{ title, url, epochs, approves, focusedAt, suspension, running },
    };
    for (const hub of hubs) {
      this.#options.post(this.#to(hub), ["tab", this.link], JSON.stringify(about));
      this.#offer.forEach((payload, at) => {
        const frame = encodeFrame({ type: at === 0 ? "offer" : "offer-change" }, payload);
        this.#options.post(this.#to(hub), ["page", this.link], frame);
      });
    }
  }

  /** Passes on the frame with a call of another hub. */
  give(hub: string, id: string, frame: Message): void {
    this.#owners.set(id, { hub });
    this.#options.page.link.send(frame);
  }

  /** Passes on a frame about a call, if it is a call of that hub; a cancelled one has no more events. */
  pass(hub: string, id: string, { frame, isCancel }: { readonly frame: Message; readonly isCancel: boolean }): void {
    if (this.#owners.get(id)?.hub !== hub) return;
    this.#options.page.link.send(frame);
    if (isCancel) this.#owners.delete(id);
  }

  close(reason: CloseReason): void {
    this.#options.page.delivery.close(reason);
  }

  /** Aborts the calls of a hub that is gone, unless it or another asks for them in time. */
  leaveCallsOf(hub: string): void {
    this.#abortLater([...this.#owners].filter(([, owner]) => owner.hub === hub));
  }

  /** Other hubs can be reached again, and have time to ask for their calls. */
  reached(): void {
    this.#abortLater(this.#left.splice(0));
  }

  #abortLater(calls: readonly Left[]): void {
    const { clock, limits } = this.#options;
    if (calls.length > 0) clock.after(limits.cutTime, () => this.#abort(calls));
  }

  /** Aborts calls that no hub has asked for; while none could, they wait. */
  #abort(calls: readonly Left[]): void {
    const { page, post, isUp } = this.#options;
    if (!this.#session) return;
    for (const [id, owner] of calls) {
      if (this.#owners.get(id) !== owner) continue;
      if (!isUp()) {
        this.#left.push([id, owner]);
        continue;
      }
      this.#owners.delete(id);
      page.delivery.send({ type: "cancel", id, reason: "The hub of this call is gone." });
      // It may be back by now, and would wait.
      if (owner) post(this.#to(owner.hub), ["page", this.link], encodeFrame({ type: "failure", id, ...aborted }, ""));
    }
  }

  #to(hub: string): To {
    return { hub, lane: this.identity.principal };
  }

  /** Focus is compared over hubs: it is a moment, not a count. */
  #stampFocus(): void {
    const session = this.#session;
    if (!session) return;
    session.tab.focusedAt = this.#options.focusTime();
    session.receive({ type: "tab" }, "");
  }
}
