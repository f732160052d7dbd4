// A hub among others: what it says to them and what it makes of their messages. Every hub has an inbox of its own, named by an
// id that is new in each run; see SPEC.md.
import { randomBytes } from "node:crypto";
import type { Clock } from "../../link/index.ts";
import type { PageGreeting, Switchboard, TabIdentity } from "../../switchboard/index.ts";
import type { JsonObject, Limits, Message, OnOver, Outcome } from "../../wire/index.ts";
import { parseJsonObject } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import type { PageCarrier, RelayedTab } from "../sockets/cluster-seam.ts";
import type { ClusterCounts } from "../common/metrics.ts";
import type { SharedUse } from "../common/shared-use.ts";
import type { Bus } from "./bus.ts";
import { countBus } from "./counted-bus.ts";
import type { CountedBus } from "./counted-bus.ts";
import { principalDigest } from "./digest.ts";
import { followAgents } from "./follow-agents.ts";
import type { HubsUse } from "./hubs-use.ts";
import { leaseText } from "./lease.ts";
import type { HubInfo } from "./lease.ts";
import { Losses } from "./losses.ts";
import { Members } from "./members.ts";
import { createReader } from "./messages.ts";
import type { Head, Post, To } from "./messages.ts";
import { Others } from "./others.ts";
import type { OthersOptions } from "./others.ts";
import { Places } from "./places.ts";
import { Receiver } from "./receiver.ts";
import { Recovery } from "./recovery.ts";
import { RemoteTabs } from "./remote-tabs.ts";
import { Sender } from "./sender.ts";
import { Topics } from "./topics.ts";
import { overloaded, unreachable } from "./unreachable.ts";

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
  readonly #inbox = inboxOf(this.id);
  readonly #sender: Sender;
  readonly #members: Members;
  readonly #places: Places;
  readonly #remote: RemoteTabs;
  readonly #topics = new Topics();
  readonly #recovery: Recovery;
  readonly #receiver: Receiver;
  readonly #stops: (() => void)[] = [];
  #meeting: Promise<void> | undefined;
  #isLeaving = false;
  #isClosed = false;

  constructor(options: ClusterOptions) {
    const { clock, limits, note, switchboard, use, onOver } = options;
    const bus = countBus(options.bus);
    this.#options = options;
    this.#bus = bus;
    this.#sender = new Sender({
      ...{ bus, id: this.id, now: clock.now, prefix: `pagewire.${options.name}.` },
      limits,
      isInbox: (subject) => this.#members.has(hubOf(subject)),
      onOver: (subject) => {
        if (this.#members.has(hubOf(subject))) this.#recovery.relearn(hubOf(subject));
      },
    });
    const losses = new Losses({ now: clock.now, subjects: [this.#inbox, ...shared] });
    this.#members = new Members({
      ...{ bus, clock, id: this.id },
      announce: () => this.#announce(),
      probe: (number) => this.#post(this.id, ["probe", number]),
      onJoined: (hub) => this.#recovery.meet(hub),
      onGone: (member) => this.#recovery.gone(member),
      onForgotten: (hub) => {
        losses.forget(hub);
        this.#sender.forget(inboxOf(hub));
      },
      onState: () => this.#recovery.stateChanged(),
    });
    const post: Post = (to, head, body) => this.#post(to, head, body);
    this.#places = new Places({
      ...{ clock, limits, post, use, onOver, isUp: () => this.isUp },
      hasRoom: (hub, lane) => this.#sender.hasRoom(inboxOf(hub), lane),
      isWaiting: ({ hub, lane }, run) => this.#sender.isWaiting(inboxOf(hub), lane, run),
    });
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
    const reader = createReader(limits.frameBytes + maxHeaderBytes);
    const parts = {
      ...{ losses, members: this.#members, others: this.others, places: this.#places },
      ...{ reader, remote: this.#remote, post, note },
    };
    this.#recovery = new Recovery({
      ...parts,
      counts: () => this.#sender.counts(),
      restart: (hub) => this.#sender.restart(inboxOf(hub)),
      greet: () => this.#publish("ask", ["hello"]),
    });
    const inbox = this.#inbox;
    this.#receiver = new Receiver({
      ...{ ...parts, id: this.id, inbox, topics: this.#topics, recovery: this.#recovery },
      wasRead: (hub, bytes) => this.#sender.read(inboxOf(hub), bytes),
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

  /** The use of principals at all hubs. */
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
    return { ...this.#options.about(), ...(this.#isLeaving && { isStopping: true }), id: this.id };
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

  /** Why a call of a principal cannot be sent to another hub now. */
  refusal(hub: string, principal: string): Outcome | undefined {
    if (!this.isUp) return unreachable;
    if (this.#sender.hasRoom(inboxOf(hub), principal)) return undefined;
    this.#options.onOver("queuedBytesPerPrincipal");
    return overloaded;
  }

  /** The switchboard, for doors: the principals of its agents are followed. */
  around(switchboard: Switchboard): Switchboard {
    return followAgents(switchboard, {
      agentCame: (principal) => (this.#isClosed ? () => {} : this.#remote.agentCame(principal)),
      remoteTabs: () => this.#remote.size,
    });
  }

  /** Sends something to all other hubs that are there now. */
  tell(topic: string, value: JsonObject): void {
    this.#publish("state", ["state", topic], JSON.stringify(value));
  }

  /** Listens to what other hubs tell. */
  on(topic: string, listener: (value: JsonObject, from: string) => void): () => void {
    return this.#topics.on(topic, listener);
  }

  /** What /metrics says of the cluster. */
  counts(): ClusterCounts {
    const { sent, received } = this.#bus;
    const own = { isBusUp: this.isUp, carried: this.carried, losses: this.#recovery.losses };
    return { ...own, hubs: this.hubs.length, remoteTabs: this.#remote.size, sent, received };
  }

  /** Called with each hub that is met, and with each known one whose messages may have been lost. */
  onJoined(listener: (hub: string) => void): () => void {
    return this.#recovery.onJoined(listener);
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
    this.#sender.end();
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

  #take(bytes: Uint8Array, subject: string): void {
    if (!this.#isClosed) this.#receiver.take(bytes, subject);
  }

  #announce(): void {
    this.#publish("lease", ["lease"], leaseText(this.self, this.#sender.counts()));
  }

  #post(to: To, head: Head, body?: Message): void {
    const { hub, lane, onLate }: Extract<To, object> = typeof to === "string" ? { hub: to, lane: "" } : to;
    if (!this.#isClosed) this.#sender.send(inboxOf(hub), { head, body, lane, onLate });
  }

  #publish(subject: string, head: Head, body?: Message): void {
    if (!this.#isClosed) this.#sender.send(subject, { head, body });
  }
}

/** The subjects that all hubs listen to, beside that of leases, which count for themselves. */
const shared = ["ask", "state"] as const;

const inboxOf = (hub: string) => `hub.${hub}`;
const hubOf = (inbox: string) => inbox.slice(inboxOf("").length);
const maxHeaderBytes = 64 * 1024;
