// The hubs that are alive: each announces itself every second, and one that was silent for three is gone. It also finds out
// whether the bus works at all, by messages to itself: a broker that hangs keeps its sockets open.
import type { Clock } from "../../link/index.ts";
import type { Bus } from "./bus.ts";

/** How often a hub announces itself, and how long after the last time it counts as gone. */
const leaseTime = 1000;
export const goneTime = 3 * leaseTime;
const probeTime = 250;
/** Clocks of machines drift by far less than a lease in it. */
const windowTime = 60_000;
/** A hub that was given up is remembered for this long. */
const droppedTime = 5 * 60_000;
/** The bus hangs once this number of messages to itself is out. */
const maxProbes = 3;

export interface Member {
  readonly id: string;
  seenAt: number;
  /** Its clock minus ours, by its quickest message of this window or the last: clocks drift. */
  ahead: number;
  /** The same, of this window alone. */
  recent: number;
  windowEnd: number;
  /** The bytes of its messages that were read, and it does not know of. */
  unreported: number;
  /** Its description of itself; empty before its first lease. */
  about: string;
}

export interface MembersOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly id: string;
  /** Announces this hub to all. */
  readonly announce: () => void;
  /** Sends a numbered message to this hub itself. */
  readonly probe: (number: number) => void;
  readonly onJoined: (id: string) => void;
  readonly onGone: (member: Member) => void;
  /** A hub that was given up has not come back. */
  readonly onForgotten: (id: string) => void;
  /** Called after each change of `isUp`. */
  readonly onState: () => void;
}

export class Members {
  readonly #options: MembersOptions;
  readonly #known = new Map<string, Member>();
  /** Hubs that were given up a short while ago. */
  readonly #dropped = new Map<string, Member & { readonly droppedAt: number }>();
  #ticks = 0;
  #tickedAt: number;
  #echoed = 0;
  #seenSince: number;
  #stopTimer = () => {};
  readonly #stopState: () => void;
  /** Whether messages get through, as far as is known. */
  isUp: boolean;

  constructor(options: MembersOptions) {
    const { bus, clock } = options;
    this.#options = options;
    this.isUp = bus.isUp;
    this.#tickedAt = this.#seenSince = clock.now();
    this.#stopState = bus.onState(() => {
      // Messages that were sent before are lost.
      this.#echoed = this.#ticks;
      this.#setUp(bus.isUp);
    });
  }

  start(): void {
    this.#tick();
  }

  get ids(): readonly string[] {
    return [...this.#known.keys()];
  }

  get all(): readonly Member[] {
    return [...this.#known.values()];
  }

  /** A hub's description of itself. */
  aboutOf(id: string): string {
    return this.#known.get(id)?.about ?? "{}";
  }

  has(id: string): boolean {
    return this.#known.has(id);
  }

  /** Since when others have surely known this hub, and it them: it could be reached all the time, and was awake. */
  get seenSince(): number {
    const now = this.#options.clock.now();
    return this.isUp && now - this.#tickedAt <= 2 * probeTime ? this.#seenSince : now;
  }

  /** Whether a hub is surely gone: it was given up while this one heard others, or would have been noticed. */
  isGone(id: string): boolean {
    if (this.#known.has(id)) return false;
    const { droppedAt = -Infinity } = this.#dropped.get(id) ?? {};
    return droppedAt >= this.seenSince || this.#options.clock.now() - this.seenSince > goneTime;
  }

  /** To be called for each message of another hub, with the time in it. */
  heard(id: string, at: number): Member {
    const now = this.#options.clock.now();
    const known = this.#known.get(id);
    const recent = at - now;
    const before = this.#dropped.get(id);
    const ahead = Math.max(recent, before?.ahead ?? recent);
    // Its clock may have stood still with its machine, so the old comparison holds only while late messages come in.
    const windowEnd = now + (before ? goneTime : windowTime);
    const fresh = { id, seenAt: now, ahead, recent, windowEnd, unreported: 0, about: "" };
    const member = known ?? fresh;
    member.seenAt = now;
    if (now >= member.windowEnd) {
      member.ahead = member.recent;
      member.recent = recent;
      member.windowEnd = now + windowTime;
    }
    member.recent = Math.max(member.recent, recent);
    member.ahead = Math.max(member.ahead, member.recent);
    if (!known) {
      this.#dropped.delete(id);
      this.#known.set(id, member);
      this.#options.onJoined(id);
    }
    return member;
  }

  /** How long ago a message was sent, as far as is known: never more than it was. */
  ageOf(id: string, at: number): number {
    const { ahead = 0 } = this.#known.get(id) ?? {};
    return this.#options.clock.now() - (at - ahead);
  }

  /** A time of this hub's clock, by the clock of another: never later than it is. */
  toClockOf(id: string, at: number): number {
    return at + (this.#known.get(id)?.ahead ?? 0);
  }

  /** A time of another hub's clock, by this one's: never earlier than it is. */
  fromClockOf(id: string, at: number): number {
    return at - (this.#known.get(id)?.ahead ?? 0);
  }

  /** A message to itself came back. */
  echoed(number: number): void {
    this.#echoed = Math.max(this.#echoed, number);
    this.#setUp(this.#options.bus.isUp);
  }

  left(id: string): void {
    const member = this.#known.get(id);
    if (!member) return;
    this.#known.delete(id);
    // Its earlier messages may come yet, and are as old as its clock says.
    this.#dropped.set(id, { ...member, droppedAt: this.#options.clock.now() });
    this.#options.onGone(member);
  }

  close(): void {
    this.#stopTimer();
    this.#stopState();
    this.#known.clear();
  }

  #tick(): void {
    const { clock, bus, announce, probe } = this.#options;
    const now = clock.now();
    const isLate = now - this.#tickedAt > 2 * probeTime;
    this.#tickedAt = now;
    this.#stopTimer = clock.after(probeTime, () => this.#tick());
    // Messages that came meanwhile are not read yet: this hub cannot tell others from itself.
    if (isLate) {
      this.#seenSince = now;
      this.#echoed = this.#ticks;
      for (const member of this.#known.values()) member.seenAt = now;
    }
    if (this.#ticks - this.#echoed >= maxProbes) this.#setUp(false);
    if (this.isUp) this.#endSilent(now);
    for (const { id, seenAt } of this.#dropped.values()) if (now - seenAt > droppedTime) this.#forget(id);
    if (this.#ticks % (leaseTime / probeTime) === 0) announce();
    if (bus.isUp) probe(++this.#ticks);
    else this.#echoed = ++this.#ticks;
  }

  #forget(id: string): void {
    this.#dropped.delete(id);
    this.#options.onForgotten(id);
  }

  #endSilent(now: number): void {
    for (const { id, seenAt } of this.#known.values()) if (now - seenAt > goneTime) this.left(id);
  }

  #setUp(isUp: boolean): void {
    if (this.isUp === isUp) return;
    this.isUp = isUp;
    const now = this.#options.clock.now();
    this.#seenSince = now;
    for (const member of this.#known.values()) member.seenAt = now;
    this.#options.onState();
  }
}
