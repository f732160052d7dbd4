import { amountNames } from "../common/shared-use.ts";
import type { AmountName, Amounts } from "../common/shared-use.ts";
import type { Json } from "../../wire/index.ts";
import { isJsonObject } from "../../wire/index.ts";

interface Told {
  readonly amounts: Amounts;
  readonly at: number;
}

/** The max of principals: beyond it the one that was told of first is dropped, and counts alone at each hub. */
export const mostPrincipals = 100_000;

/** The amounts that other hubs told of, by principal. */
export class UseElsewhere {
  readonly #told = new Map<string, Map<string, Told>>();

  get size(): number {
    return this.#told.size;
  }

  amount(principal: string, name: AmountName): number {
    let sum = 0;
    for (const { amounts } of this.#told.get(principal)?.values() ?? []) sum += amounts[name] ?? 0;
    return sum;
  }

  /** Replaces all amounts of a principal at a hub; none if it uses none. */
  set(hub: string, principal: string, { amounts, at }: Told): void {
    const hubs = this.#told.get(principal) ?? new Map<string, Told>();
    if (Object.keys(amounts).length > 0) hubs.set(hub, { amounts, at });
    else hubs.delete(hub);
    this.#told.delete(principal);
    if (hubs.size > 0) this.#told.set(principal, hubs);
    const [oldest = ""] = this.#told.keys();
    if (this.#told.size > mostPrincipals) this.#told.delete(oldest);
  }

  /** Drops what is not to be kept. */
  keep(isGood: (hub: string, at: number) => boolean): void {
    for (const [principal, hubs] of this.#told) {
      for (const [hub, { at }] of hubs) if (!isGood(hub, at)) hubs.delete(hub);
      if (hubs.size === 0) this.#told.delete(principal);
    }
  }

  clear(): void {
    this.#told.clear();
  }
}

/** The amounts in a message; what is none is left out. */
export function parseAmounts(value: Json | undefined): Amounts | undefined {
  if (!isJsonObject(value)) return undefined;
  const amounts: { [Name in AmountName]?: number } = {};
  for (const name of amountNames) {
    const amount = value[name];
    if (isCount(amount)) amounts[name] = amount;
  }
  return amounts;
}

export function isCount(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}
