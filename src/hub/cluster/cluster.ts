// A hub among others: what it says to them and what it makes of their messages. Every hub has an inbox of its own, named by an
// id that is new in each run; see SPEC.md.
import { randomBytes } from "node:crypto";
import type { Clock } from "../../link/index.ts";
import type { PageGreeting, Switchboard, TabIdentity } from "../../switchboard/index.ts";
import type { JsonObject, Limits, Message, OnOver } from "../../wire/index.ts";
import { closeReason, isJsonObject, messageOf, parseJsonObject } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import type { PageCarrier, RelayedTab } from "../sockets/cluster-seam.ts";
import type { ClusterCounts } from "../common/metrics.ts";
import type { SharedUse } from "../common/shared-use.ts";
import type { Bus } from "./bus.ts";
import { countBus } from "./counted-bus.ts";
import type { CountedBus } from "./counted-bus.ts";
import { principalDigest } from "./digest.ts";
import type { HubsUse } from "./hubs-use.ts";
import { Losses } from "./losses.ts";
import { Members, goneTime } from "./members.ts";
import type { Member } from "./members.ts";
import { bodyOf, createReader, createSender, parseMessages } from "./messages.ts";
import type { Head, Received, Sender } from "./messages.ts";
import { Others } from "./others.ts";
import type { OthersOptions } from "./others.ts";
import { Places } from "./places.ts";
import { RemoteTabs } from "./remote-tabs.ts";

/** A hub as others know it. */
export interface HubInfo extends JsonObject {
  readonly id: string;
  readonly name: string;
}

export interface ClusterOptions extends Pick<OthersOptions, "accept" | "clientOf" | "isOwn"> {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly limits: Limits;
  /** The name of the cluster: a token of subjects. */
  readonly name: string;
  readonly switchboard: Switchboard;
  /** This hub's description of itself for the others. */
  readonly about: () => JsonObject & { readonly name: string };
  readonly note: Note;
  readonly use: HubsUse;
  readonly onOver: OnOver;
}

/** The time within which hubs that are there answer a new one. */
const meetingTime = 250;

export class Cluster {
  readonly id = randomBytes(16).toString("base64url");
  readonly others: Others;
  readonly #options: ClusterOptions;
  readonly #bus: CountedBus;
  /** How often messages of another hub were lost. */
  #losing = 0;
  readonly #inbox = inboxOf(this.id);
  readonly #sender: Sender;
  readonly #reader: ReturnType<typeof createReader>;
  readonly #losses: Losses;
  readonly #members: Members;
  readonly #places: Places;
  readonly #remote: RemoteTabs;
  readonly #joined = new Set<(hub: string) => void>();
  readonly #topics = new Map<string, Set<(value: JsonObject, from: string) => void>>();
  readonly #stops: (() => void)[] = [];
  #meeting: Promise<void> | undefined;
  #isLeaving = false;
  #isClosed = false;

  constructor(options: ClusterOptions) {
    const { clock, limits, note, switchboard, use, onOver } = options;
    const bus = countBus(options.bus);
    this.#options = options;
    this.#bus = bus;
    this.#sender = createSender(bus, { id: this.id, now: clock.now, prefix: `pagewire.${options.name}.` });
    this.#reader = createReader(limits.frameBytes + maxHeaderBytes);
    this.#losses = new Losses({ now: clock.now, subjects: [this.#inbox, ...shared] });
    this.#members = new Members({
      ...{ bus, clock, id: this.id },
      announce: () => this.#announce(),
      probe: (number) => this.#post(this.id, ["probe", number]),
      onJoined: (hub) => this.#meet(hub),
      onGone: ({ id, about }) => {
        note("warn", "hub-gone", { hub: id, name: nameIn(about) });
        this.#forget(id, true);
      },
      onForgotten: (hub) => {
        this.#losses.forget(hub);
        this.#sender.forget(inboxOf(hub));
      },
      onState: () => this.#stateChanged(),
    });
    const post = (hub: string, head: Head, body?: Message) => this.#post(hub, head, body);
    this.#places = new Places({ clock, limits, post, use, onOver, isUp: () => this.isUp });
    this.others = new Others({ ...options, post, id: this.id, members: this.#members });
    this.#remote = new RemoteTabs({
      ...{ clock, limits, switchboard, post, note, members: this.#members },
      ask: (principal, hub) => {
        const head: Head = ["ask", principalDigest(principal)];
        if (hub === undefined) this.#publish("ask", head, principal);
        else this.#post(hub, head, principal);
      },
      unfollow: (principal) => this.#publish("ask", ["leave"], principal),
      connectedHere: (tabId) => this.#places.connectedAt(tabId),
    });
  }

  /** Meets the others. An agent that comes at once waits until those that are there have had time to answer. */
  start(): void {
    const { clock, name } = this.#options;
    for (const subject of [this.#inbox, "lease", ...shared])
      this.#stops.push(this.#bus.subscribe(`pagewire.${name}.${subject}`, (bytes) => this.#take(bytes, subject)));
    this.#members.start();
    this.#options.use.start(this);
    this.#publish("ask", ["hello"]);
    this.#meeting = new Promise((resolve) => {
      this.#stops.push(clock.after(meetingTime, resolve), resolve);
    });
    void this.#meeting.then(() => (this.#meeting = undefined));
  }

  /** What principals use at all hubs. */
  get use(): SharedUse {
    return this.#options.use;
  }

  get isUp(): boolean {
    return this.#members.isUp;
  }

  /** Whether the tabs of other hubs are known, as far as is known. */
  get isWhole(): boolean {
    return this.isUp && !this.#remote.isRelearning;
  }

  /** This hub, as the others know it. */
  get self(): HubInfo {
    return { ...this.#options.about(), id: this.id };
  }

  /** The other hubs. */
  get hubs(): readonly HubInfo[] {
    return this.#members.all.map(({ id, about }) => ({ name: id, ...parseJsonObject(about, 4), id }));
  }

  /** Attaches a page, and tells the hubs that follow its principal. */
  attach(identity: TabIdentity, greeting: PageGreeting, carrier: PageCarrier): RelayedTab {
    const { switchboard } = this.#options;
    return this.#places.attach(identity, {
      ...carrier,
      isFocused: greeting.focused === true,
      isNew: !switchboard.hasTab(identity.principal, identity.tabId),
      running: greeting.running,
      attach: (delivery) => switchboard.attach(identity, greeting, delivery),
    });
  }

  /** Resolves when this hub knows the tabs of a principal at the others; undefined if it does. */
  know(principal: string): Promise<void> | undefined {
    if (this.#isClosed) return undefined;
    return this.#meeting ? this.#meeting.then(() => this.know(principal)) : this.#remote.know(principal);
  }

  /** The switchboard, for doors: the principals of its agents are followed. */
  around(switchboard: Switchboard): Switchboard {
    return {
      ...switchboard,
      agent: (identity) => {
        const session = switchboard.agent(identity);
        const left = this.#isClosed ? () => {} : this.#remote.agentCame(identity.principal);
        let isOpen = true;
        return {
          ...session,
          close: () => {
            if (isOpen) left();
            isOpen = false;
            session.close();
          },
        };
      },
      counts: () => {
        const counts = switchboard.counts();
        return { ...counts, tabs: counts.tabs - this.#remote.size };
      },
    };
  }

  /** Sends something to all other hubs that are there now. */
  tell(topic: string, value: JsonObject): void {
    this.#publish("state", ["state", topic], JSON.stringify(value));
  }

  /** Listens to what other hubs tell. */
  on(topic: string, listener: (value: JsonObject, from: string) => void): () => void {
    const listeners = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** What /metrics says of the cluster. */
  counts(): ClusterCounts {
    const { sent, received } = this.#bus;
    const own = { isBusUp: this.isUp, carried: this.carried, losses: this.#losing };
    return { ...own, hubs: this.hubs.length, remoteTabs: this.#remote.size, sent, received };
  }

  /** Called with each hub that is met, and with each known one whose messages may have been lost. */
  onJoined(listener: (hub: string) => void): () => void {
    this.#joined.add(listener);
    return () => this.#joined.delete(listener);
  }

  /** Whether another hub can take what comes to this one. */
  get hasSuccessor(): boolean {
    return this.isUp && this.hubs.some(({ isStopping }) => isStopping !== true);
  }

  /** This hub will end: the others leave nothing new to it. */
  leave(): void {
    this.#isLeaving = true;
    this.#announce();
  }

  /** The number of calls of other hubs that run in this one's tabs. */
  get carried(): number {
    return this.#places.carried;
  }

  /** Leaves: other hubs drop this one's tabs at once. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#publish("ask", ["bye"]);
    this.#sender.flush();
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.#members.close();
    this.#options.use.close();
    this.#remote.close();
    this.others.lose();
    await this.#bus.close();
  }

  #announce(): void {
    const about = { ...this.#options.about(), ...(this.#isLeaving && { isStopping: true }) };
    this.#publish("lease", ["lease"], `${JSON.stringify(about)}\n${this.#counts()}`);
  }

  #post(hub: string, head: Head, body?: Message): void {
    this.#publish(inboxOf(hub), head, body);
  }

  #publish(subject: string, head: Head, body?: Message): void {
    if (!this.#isClosed) this.#sender.send(subject, head, body);
  }

  #counts(): string {
    return JSON.stringify(this.#sender.counts());
  }

  /** Asks a hub for everything. */
  #meet(hub: string): void {
    this.#losses.asked(hub);
    this.#post(hub, ["hello"]);
    this.#remote.askAll(hub);
    this.#joinedBy(hub);
  }

  #joinedBy(hub: string): void {
    for (const listener of this.#joined) listener(hub);
  }

  /** Messages of a hub were lost: as if it had been cut off. */
  #relearn(hub: string): void {
    this.#losing++;
    this.#options.note("warn", "hub-messages-lost", { hub });
    this.#forget(hub, true);
    this.#meet(hub);
  }

  #take(bytes: Uint8Array, subject: string): void {
    const messages = parseMessages(bytes);
    const [first] = messages;
    if (!first || this.#isClosed) return;
    const { from, at, number } = first;
    if (from === this.id) return this.#echoed(messages);
    // It would be met again.
    if (first.kind === "bye") return this.#members.left(from);
    const isKnown = this.#members.has(from);
    const member = this.#members.heard(from, at);
    const isLacking = this.#losses.came(from, subject, number);
    for (const message of messages) {
      try {
        const received = this.#reader.read(message);
        if (received) this.#handle(received, { member, isKnown });
      } catch (error) {
        const { kind } = message;
        this.#options.note("error", "bus-message-failed", { kind, message: messageOf(error) });
      }
    }
    if (isLacking && this.#members.has(from)) this.#relearn(from);
  }

  #echoed(messages: readonly Received[]): void {
    for (const { kind, words } of messages) if (kind === "probe") this.#members.echoed(Number(words[0]));
  }

  #handle(received: Received, { member, isKnown }: { readonly member: Member; readonly isKnown: boolean }): void {
    const { kind, from, body } = received;
    if (kind === "bye") this.#members.left(from);
    else if (kind === "lease") {
      const [about = "", counts = ""] = body.toString().split("\n");
      if (member.about === "") this.#options.note("info", "hub-joined", { hub: from, name: nameIn(about) });
      member.about = about;
      if (this.#losses.lacks(from, countsIn(counts))) this.#relearn(from);
    } else if (kind === "counts") this.#losses.settle(from, this.#inbox, countsIn(body.toString()));
    else if (kind === "hello") {
      this.#post(from, ["counts"], this.#counts());
      // It does not know this hub, or lost messages.
      if (!isKnown) return;
      this.#forget(from, false);
      this.#remote.askAll(from);
      this.#joinedBy(from);
    } else if (Object.hasOwn(this.#handlers, kind)) this.#handlers[kind]?.(received);
  }

  readonly #handlers: Readonly<Record<string, (received: Received) => void>> = {
    ask: ({ from, words, body }) => {
      this.#places.follow(body.toString(), from);
      this.#post(from, ["told", words[0] ?? ""]);
    },
    leave: ({ from, body }) => this.#places.unfollow(body.toString(), from),
    again: ({ from, words: [link] }) => this.#places.again(link, from),
    told: ({ from, words }) => this.#remote.told(from, words[0] ?? ""),
    tab: (received) => this.#remote.announced(received),
    page: (received) => this.#remote.receive(received),
    off: (received) => this.#remote.left(received),
    give: ({ from, at, words: [link, id = ""], body }) => {
      // Its hub has given this one up since, and has said what it knows of the call.
      if (this.#members.ageOf(from, at) > goneTime)
        return this.#options.note("warn", "late-call-dropped", { hub: from });
      this.#places.find(link)?.give(from, id, bodyOf(body));
    },
    cancel: ({ from, words: [link, id = ""], body }) =>
      this.#places.find(link)?.pass(from, id, { frame: bodyOf(body), isCancel: true }),
    answer: ({ from, words: [link, id = ""], body }) =>
      this.#places.find(link)?.pass(from, id, { frame: bodyOf(body), isCancel: false }),
    end: ({ words: [link, name] }) => {
      if (name === "tab-replaced" || name === "tab-disconnected") this.#places.find(link)?.close(closeReason(name));
    },
    ...Object.fromEntries(kindsOfOthers.map((kind) => [kind, (received: Received) => this.others.receive(received)])),
    state: ({ from, words: [topic = ""], body }) => {
      const value = parseJsonObject(body.toString(), maxDepth);
      if (!isJsonObject(value)) return;
      for (const listener of this.#topics.get(topic) ?? []) listener(value, from);
    },
  };

  #forget(hub: string, isGone: boolean): void {
    this.#reader.forget(hub);
    this.others.lose(hub);
    this.#remote.lose(hub);
    this.#places.forget(hub, isGone);
  }

  #stateChanged(): void {
    const { note } = this.#options;
    note("warn", this.isUp ? "bus-up" : "bus-down", {});
    if (!this.isUp) {
      this.others.lose();
      return this.#remote.lose();
    }
    for (const hub of this.#members.ids) this.#losses.asked(hub);
    this.#publish("ask", ["hello"]);
    this.#remote.relearn();
    this.#places.reached();
    for (const hub of this.#members.ids) this.#joinedBy(hub);
  }
}

/** The subjects that all hubs listen to, beside that of leases, which count for themselves. */
const shared = ["ask", "state"] as const;

const inboxOf = (hub: string) => `hub.${hub}`;
const countsIn = (text: string) => parseJsonObject(text, 1) ?? {};

const kindsOfOthers = ["question", "reply", "open", "bytes", "taken", "finish", "cut"];
/** A hub's name, by its description of itself. */
function nameIn(about: string): string | undefined {
  const known = parseJsonObject(about, 4);
  return typeof known?.["name"] === "string" ? known["name"] : undefined;
}

const maxHeaderBytes = 64 * 1024;
const maxDepth = 16;
