// The tabs of other hubs, in the local switchboard: those of principals whose agents are here. A call of such a tab lives here;
// the tab's hub only delivers it.
import type { Clock } from "../../link/index.ts";
import type { Delivery, Switchboard, TabIdentity, TabSession } from "../../switchboard/index.ts";
import { closeNameOf, fromPage, messageOf, parseFrame } from "../../wire/index.ts";
import type { FrameFromPage, FrameToPage, Limits, Message } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import { createSend } from "../sockets/send-frames.ts";
import { overloaded } from "./unreachable.ts";
import { principalDigest } from "./digest.ts";
import { parseFollowed } from "./followed.ts";
import type { Members } from "./members.ts";
import type { Post, Received } from "./messages.ts";

export interface RemoteTabsOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly members: Pick<Members, "ids" | "isUp" | "toClockOf" | "fromClockOf" | "ageOf">;
  readonly switchboard: Pick<Switchboard, "attach">;
  readonly post: Post;
  /** Asks one hub, or all, for the tabs of a principal. */
  readonly ask: (principal: string, hub?: string) => void;
  readonly unfollow: (principal: string) => void;
  /** When a tab of this hub itself was connected. */
  readonly connectedHere: (tabId: string) => number;
  readonly note: Note;
}

/** How long a principal without agents here is still followed. */
const followTime = 5 * 60_000;
/** How long an agent's first request waits for hubs that do not answer. */
const askTime = 250;

/** After this time a tab that was refused is asked for again; no more tabs than this wait for it. */
const retryTime = 30_000;
const maxRefused = 10_000;

interface Following {
  readonly principal: string;
  agents: number;
  /** The hubs that have not answered yet. */
  readonly missing: Set<string>;
  /** Resolves once the others' tabs are known; undefined if they are. */
  learning: Promise<void> | undefined;
  learned: () => void;
  stopTimer: () => void;
}

interface RemoteTab {
  readonly hub: string;
  readonly identity: TabIdentity;
  readonly connectedAt: number;
  readonly session: TabSession;
}

export class RemoteTabs {
  readonly #options: RemoteTabsOptions;
  readonly #followed = new Map<string, Following>();
  /** By hub and link. */
  readonly #tabs = new Map<string, RemoteTab>();
  /** The last key of each tab's id. */
  readonly #keys = new Map<string, string>();
  readonly #relearning = new Set<Following>();
  /** Tabs that there was no room for, by hub and link, with what ends the wait until they are asked for again. */
  readonly #refused = new Map<string, () => void>();

  constructor(options: RemoteTabsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#tabs.size;
  }

  /** Resolves when the tabs of a principal at other hubs are known; undefined if they are. */
  know(principal: string): Promise<void> | undefined {
    const known = this.#followed.get(principal) ?? this.#follow(principal);
    if (known.agents === 0) this.#leaveLater(known);
    return known.learning;
  }

  /** An agent is here; the returned function is for when it leaves. */
  agentCame(principal: string): () => void {
    const following = this.#followed.get(principal) ?? this.#follow(principal);
    following.agents++;
    following.stopTimer();
    return () => {
      following.agents--;
      if (following.agents === 0) this.#leaveLater(following);
    };
  }

  /** A hub has answered with all of a principal's tabs. */
  told(hub: string, digest: string): void {
    for (const following of this.#followed.values())
      if (following.missing.has(hub) && principalDigest(following.principal) === digest) this.#answered(following, hub);
  }

  /** Whether all has to be asked for again, and hubs that are there have not answered yet. */
  get isRelearning(): boolean {
    return this.#relearning.size > 0;
  }

  /** The bus is back: asks all hubs for everything. */
  relearn(): void {
    for (const following of this.#followed.values()) {
      this.#learn(following);
      if (following.learning) this.#relearning.add(following);
    }
  }

  /** Asks a hub for the tabs of all that are followed. */
  askAll(hub?: string): void {
    for (const { principal } of this.#followed.values()) this.#options.ask(principal, hub);
  }

  /** A hub announces a tab. */
  announced({ from, at, words, body }: Received): void {
    const [link = ""] = words;
    const about = parseFollowed(body.toString());
    if (!about || !this.#followed.has(about.identity.principal)) return;
    const { identity, focusedAt, running, connectedFor, suspension } = about;
    const { tabId } = identity;
    const { clock, members, switchboard, post, connectedHere } = this.#options;
    const connectedAt = clock.now() - connectedFor - members.ageOf(from, at);
    const key = `${from} ${link}`;
    this.#end(key, "cut");
    const elsewhere = this.#keys.get(tabId);
    const latest = Math.max(connectedHere(tabId), this.#tabs.get(elsewhere ?? "")?.connectedAt ?? -Infinity);
    // The page has been elsewhere since.
    if (latest > connectedAt) return post(from, ["end", link, "tab-replaced"]);
    try {
      const delivery = this.#deliveryTo(from, link, identity.principal);
      const identityHere = { ...identity, hub: from };
      const session = switchboard.attach(identityHere, { ...about, focused: false, running }, delivery);
      session.tab.connectedAt = connectedAt;
      this.#tabs.set(key, { hub: from, identity: identityHere, connectedAt, session });
      this.#keys.set(tabId, key);
      if (focusedAt > 0) session.tab.focusedAt = Math.max(session.tab.focusedAt, members.fromClockOf(from, focusedAt));
      session.receive({ type: "tab" }, "");
      if (suspension) session.receive({ type: "suspended", reason: suspension }, "");
    } catch (error) {
      this.#refuse({ hub: from, link, tabId }, error);
    }
  }

  /** A frame of a page at another hub. */
  receive({ from, words, body }: Received): void {
    const [link = "", focusedAt] = words;
    const key = `${from} ${link}`;
    const tab = this.#tabs.get(key);
    if (!tab) return;
    const { limits, members } = this.#options;
    const parsed = parseFrame(fromPage, messageFrom(body), limits);
    if (parsed.kind !== "frame") return;
    const { frame, payload } = parsed;
    try {
      const at = focusedAt === undefined ? undefined : members.fromClockOf(from, Number(focusedAt));
      tab.session.receive(at === undefined ? frame : withFocus(tab.session, frame, at), payload);
    } catch (error) {
      // It offers more than this hub can show: as if it were cut off, for its page runs its calls.
      this.#refuse({ hub: from, link, tabId: tab.identity.tabId }, error);
      this.#end(key, "cut");
    }
  }

  /** A page left its hub. */
  left({ from, words: [link, how] }: Received): void {
    this.#end(`${from} ${link}`, how === "gone" ? "gone" : "cut");
  }

  /** All tabs of one hub, or of all, are cut off. */
  lose(hub?: string): void {
    for (const [key, tab] of this.#tabs) if (hub === undefined || tab.hub === hub) this.#end(key, "cut");
    for (const following of this.#followed.values())
      for (const missing of [...following.missing])
        if ((hub ?? missing) === missing) this.#answered(following, missing);
  }

  close(): void {
    for (const { stopTimer, learned } of this.#followed.values()) {
      stopTimer();
      learned();
    }
    for (const stop of this.#refused.values()) stop();
    this.#refused.clear();
    this.#followed.clear();
    this.#tabs.clear();
  }

  #follow(principal: string): Following {
    const following: Following = {
      principal,
      agents: 0,
      missing: new Set(),
      learning: undefined,
      learned: () => {},
      stopTimer: () => {},
    };
    this.#followed.set(principal, following);
    this.#learn(following);
    return following;
  }

  /** Asks all hubs for a principal's tabs, and waits a while for those that are known to be there. */
  #learn(following: Following): void {
    const { clock, members, ask } = this.#options;
    this.#learned(following);
    if (members.isUp) for (const id of members.ids) following.missing.add(id);
    if (following.missing.size > 0) {
      following.learning = new Promise((resolve) => (following.learned = resolve));
      const stop = clock.after(askTime, () => this.#learned(following));
      void following.learning.then(stop);
    }
    ask(following.principal);
  }

  #answered(following: Following, hub: string): void {
    following.missing.delete(hub);
    if (following.missing.size === 0) this.#learned(following);
  }

  #learned(following: Following): void {
    following.missing.clear();
    following.learning = undefined;
    following.learned();
    this.#relearning.delete(following);
  }

  #leaveLater(following: Following): void {
    const { clock, unfollow } = this.#options;
    const { principal } = following;
    // This hub has left.
    if (this.#followed.get(principal) !== following) return;
    following.stopTimer();
    following.stopTimer = clock.after(followTime, () => {
      const tabs = [...this.#tabs].filter(([, { identity }]) => identity.principal === principal);
      if (tabs.some(([, { session }]) => session.tab.inFlight > 0)) return this.#leaveLater(following);
      this.#learned(following);
      this.#followed.delete(principal);
      unfollow(principal);
      for (const [key] of tabs) this.#end(key, "gone");
    });
  }

  /** There is no room for a tab: asks for it again later, when there may be. */
  #refuse({ hub, link, tabId }: { hub: string; link: string; tabId: string }, error: unknown): void {
    const { clock, note, post } = this.#options;
    note("warn", "remote-tab-refused", { tab: tabId, message: messageOf(error) });
    const key = `${hub} ${link}`;
    if (this.#refused.has(key) || this.#refused.size >= maxRefused) return;
    const stop = clock.after(retryTime, () => {
      this.#refused.delete(key);
      post(hub, ["again", link]);
    });
    this.#refused.set(key, stop);
  }

  #end(key: string, how: "gone" | "cut"): void {
    this.#forget(key)?.session.lost(how);
  }

  #forget(key: string): RemoteTab | undefined {
    const tab = this.#tabs.get(key);
    if (!tab) return undefined;
    this.#tabs.delete(key);
    if (this.#keys.get(tab.identity.tabId) === key) this.#keys.delete(tab.identity.tabId);
    return tab;
  }

  #deliveryTo(hub: string, link: string, principal: string): Delivery {
    const { post, members, limits } = this.#options;
    const key = `${hub} ${link}`;
    const to = { hub, lane: principal };
    const late = (frame: CallFrame) => () => this.#tabs.get(key)?.session.receive(lateFailure(frame), "");
    const carrier = {
      send(message: Message, frame: FrameToPage) {
        if (frame.type === "call") post({ ...to, onLate: late(frame) }, ["give", link, frame.id], message);
        else if (frame.type === "cancel" || frame.type === "answer") post(to, [frame.type, link, frame.id], message);
      },
    };
    const send = createSend(carrier, limits, (failure) => this.#tabs.get(key)?.session.receive(failure, ""));
    return {
      send(frame, payload) {
        // The tab's hub sends heartbeats of its own.
        if (frame.type === "heartbeat") return;
        send(frame.type === "call" ? { ...frame, at: members.toClockOf(hub, frame.at) } : frame, payload);
      },
      close: (reason) => {
        this.#forget(key);
        const name = closeNameOf(reason.code);
        // A hub that stops ends no pages of others.
        if (name === "tab-replaced" || name === "tab-disconnected") post(to, ["end", link, name]);
      },
    };
  }
}

type CallFrame = Extract<FrameToPage, { type: "call" }>;

/** The outcome of a call that has waited too long for its hub, and was not sent. */
function lateFailure({ id, resume }: CallFrame): FrameFromPage {
  const { outcome, ran, ...why } = overloaded;
  return { type: "failure", id, ...why, ...(resume ? { outcome: "outcome-unknown", ran: "maybe" } : { outcome, ran }) };
}

/** Larger frames are kept as bytes. */
const maxText = 4096;
/** A payload may be kept for long, so it is copied if what it came in is more than this many times larger. */
const maxKept = 8;

function messageFrom(body: Buffer): Message {
  if (body.length <= maxText) return body.toString();
  return body.buffer.byteLength > maxKept * body.length ? Buffer.from(body) : body;
}

/** The frame without its focus, which has its moment already. */
function withFocus(session: TabSession, frame: FrameFromPage, at: number): FrameFromPage {
  if (Number.isFinite(at)) session.tab.focusedAt = at;
  return frame.type === "tab" ? { ...frame, focused: false } : frame;
}
