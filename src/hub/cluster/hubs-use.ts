// The use of this hub's principals, as it is sent to the others, and theirs. Amounts are sent in steps, so that principals far
// from their budgets cost nothing; counts are sent as they are, a few times a second. See SPEC.md.
import type { Clock } from "../../link/index.ts";
import type { Json, JsonObject, Limits } from "../../wire/index.ts";
import { isJsonObject } from "../../wire/index.ts";
import { amountNames } from "../common/shared-use.ts";
import type { AmountName, Amounts, CountedName, SharedUse } from "../common/shared-use.ts";
import { UseElsewhere, isCount, mostPrincipals, parseAmounts } from "./use-elsewhere.ts";

export interface HubsUseOptions {
  readonly clock: Clock;
  readonly limits: Pick<Limits, AmountName>;
}

/** The other hubs. */
interface Hubs {
  readonly isUp: boolean;
  readonly others: { has(hub: string): boolean };
  tell(topic: string, value: JsonObject): void;
  on(topic: string, listener: (value: JsonObject, from: string) => void): () => void;
  onJoined(listener: (hub: string) => void): () => void;
}

/** How often a hub tells what changed, and of how many principals at a time. */
export const tellTime = 250;
const mostAtOnce = 1000;
/** An amount is sent in steps of this part of its budget. */
const stepsOfBudget = 32;
/** All amounts are sent again after this time, and when a hub is met: a message may have been lost. */
const againTime = 5000;
/** Amounts that were not told again for this time are dropped: so long the last of the most principals may wait for its turn. */
const silentTime = 3 * againTime + (mostPrincipals / mostAtOnce) * tellTime;
const reviewTime = 1000;

/** A principal's use here. */
interface Here {
  readonly sources: Set<Amounts>;
  /** The smallest budgets that were asked for, where they are smaller than the hub's. */
  readonly budgets: { [Name in AmountName]?: number };
  told: Amounts;
  readonly counted: Map<string, number>;
}

export class HubsUse implements SharedUse {
  readonly #options: HubsUseOptions;
  readonly #here = new Map<string, Here>();
  /** The principals of whom there may be something to tell, in the order in which it came up. */
  readonly #due = new Set<string>();
  /** The principals whose amounts this hub tells again. */
  readonly #again = new Set<string>();
  readonly #elsewhere = new UseElsewhere();
  readonly #listeners: ((principal: string, what: string, count: number) => void)[] = [];
  #toldAt = -Infinity;
  #reviewedAt = -Infinity;
  #stop = () => {};

  constructor(options: HubsUseOptions) {
    this.#options = options;
  }

  start(hubs: Hubs): void {
    const stops = [
      hubs.on("use", ({ use }, hub) => {
        for (const each of Array.isArray(use) ? use : []) this.#take(each, hub);
      }),
      hubs.onJoined((hub) => {
        // An amount of zero is sent once.
        this.#elsewhere.keep((other) => other !== hub);
        this.#tellAgain();
      }),
      () => stopTimer(),
    ];
    let stopTimer = () => {};
    const tick = () => {
      stopTimer = this.#options.clock.after(tellTime, tick);
      this.#tick(hubs);
    };
    this.#stop = () => stops.forEach((stop) => stop());
    tick();
  }

  close(): void {
    this.#stop();
  }

  elsewhere(principal: string, name: AmountName, max: number): number {
    if (max < this.#options.limits[name]) {
      const { budgets } = this.#hereOf(principal);
      budgets[name] = Math.min(budgets[name] ?? max, max);
    }
    return this.#elsewhere.amount(principal, name);
  }

  changed(principal: string, amounts: Amounts): void {
    this.#hereOf(principal).sources.add(amounts);
  }

  count(principal: string, what: CountedName, count: number): void {
    const { counted } = this.#hereOf(principal);
    counted.set(what, (counted.get(what) ?? 0) + count);
  }

  onCounted(listener: (principal: string, what: string, count: number) => void): void {
    this.#listeners.push(listener);
  }

  /** The number of principals that this hub knows something of. */
  get size(): number {
    return this.#here.size + this.#elsewhere.size;
  }

  #hereOf(principal: string): Here {
    const known = this.#here.get(principal);
    const here = known ?? { sources: new Set(), budgets: {}, told: {}, counted: new Map() };
    if (!known) this.#here.set(principal, here);
    this.#due.add(principal);
    return here;
  }

  #tick(hubs: Hubs): void {
    const now = this.#options.clock.now();
    if (!hubs.isUp) return this.#countAlone();
    if (now - this.#reviewedAt >= reviewTime) {
      this.#reviewedAt = now;
      this.#elsewhere.keep((hub, at) => hubs.others.has(hub) && now - at < silentTime);
    }
    if (now - this.#toldAt >= againTime) {
      this.#toldAt = now;
      this.#tellAgain();
    }
    for (const [principal, { told }] of this.#here) if (!isNone(told)) this.#due.add(principal);
    const use = this.#whatChanged();
    if (use.length > 0) hubs.tell("use", { use });
  }

  /** The others cannot be reached: what they use is unknown, and what is counted here until then is not told later. */
  #countAlone(): void {
    this.#elsewhere.clear();
    for (const principal of this.#due) {
      const here = this.#here.get(principal);
      here?.counted.clear();
      if (here && isNone(here.told) && isNone(this.#inSteps(here))) this.#here.delete(principal);
      if (!this.#here.has(principal)) this.#due.delete(principal);
    }
  }

  #tellAgain(): void {
    for (const [principal, { told }] of this.#here) if (!isNone(told)) this.#again.add(principal);
  }

  /** Changes go before amounts that are sent again. */
  #whatChanged(): JsonObject[] {
    const all: JsonObject[] = [];
    for (const waiting of [this.#due, this.#again])
      for (const principal of waiting) {
        if (all.length >= mostAtOnce) break;
        const change = this.#changeOf(principal, waiting === this.#again);
        if (change) all.push({ principal, ...change });
        waiting.delete(principal);
      }
    return all;
  }

  #changeOf(principal: string, isAgain: boolean): JsonObject | undefined {
    const here = this.#here.get(principal);
    if (!here) return undefined;
    const amounts = this.#inSteps(here);
    const isTold = !isAgain && amountNames.every((name) => amounts[name] === here.told[name]);
    // The end of a told amount must be told, too.
    if (isNone(amounts)) this.#here.delete(principal);
    if (isTold && here.counted.size === 0) return undefined;
    const counted = Object.fromEntries(here.counted);
    here.told = amounts;
    here.counted.clear();
    this.#again.delete(principal);
    return { amounts, counted };
  }

  #inSteps({ sources, budgets }: Here): Amounts {
    const sums: { [Name in AmountName]?: number } = {};
    for (const source of sources) {
      if (amountNames.every((name) => !source[name])) sources.delete(source);
      for (const name of amountNames) sums[name] = (sums[name] ?? 0) + (source[name] ?? 0);
    }
    for (const name of amountNames) {
      const step = Math.max(1, Math.floor((budgets[name] ?? this.#options.limits[name]) / stepsOfBudget));
      const amount = Math.floor((sums[name] ?? 0) / step) * step;
      if (amount > 0) sums[name] = amount;
      else delete sums[name];
    }
    return sums;
  }

  #take(value: Json, hub: string): void {
    if (!isJsonObject(value)) return;
    const { principal, amounts, counted } = value;
    if (typeof principal !== "string") return;
    const parsed = parseAmounts(amounts);
    if (parsed) this.#elsewhere.set(hub, principal, { amounts: parsed, at: this.#options.clock.now() });
    for (const [what, count] of Object.entries(isJsonObject(counted) ? counted : {}))
      if (isCount(count)) for (const listener of this.#listeners) listener(principal, what, count);
  }
}

function isNone(amounts: Amounts): boolean {
  return Object.keys(amounts).length === 0;
}
