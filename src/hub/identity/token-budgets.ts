// What a token of jwt mode allows, where that is less than its hub does; and what of it is kept with what rests on the token.
import { PagewireError, budgets, isJsonObject } from "../../wire/index.ts";
import type { Limits, TokenBudgetName, TokenBudgets } from "../../wire/index.ts";
import type { StoredRecord } from "../store/index.ts";
import { holderOf } from "./admitted.ts";
import type { Holder } from "./admitted.ts";

/** What a token's claim `budgets` allows, by the names of limits: what its hub allows, or less. */
export function readBudgets(claim: unknown, limits: Limits): TokenBudgets | undefined {
  if (claim === undefined) return undefined;
  if (!isJsonObject(claim)) throw new PagewireError("token-invalid", 'The token\'s claim "budgets" is not an object.');
  const named = Object.entries(claim).map(([name, most]) => {
    if (!isTokenBudget(name) || !isAmount(most)) {
      const problem = isTokenBudget(name) ? "is not a number of zero or more" : "is none that a token can carry";
      throw new PagewireError("token-invalid", `The token's budget "${name}" ${problem}.`);
    }
    return [name, Math.min(most, limits[name])];
  });
  return Object.fromEntries(named) as TokenBudgets;
}

/** Whose a kept record is; undefined where it does not say so. The hub may allow less by now. */
export function parseHolder(
  { principal, tokenId, allowed }: StoredRecord,
  limits: Partial<Limits>,
): Holder | undefined {
  if (tokenId !== undefined && typeof tokenId !== "string") return undefined;
  if (allowed === undefined) return holderOf({ principal, tokenId, allowed });
  if (!isJsonObject(allowed)) return undefined;
  const all = Object.entries(allowed).flatMap(([name, most]) =>
    isTokenBudget(name) && isAmount(most) ? [[name, Math.min(most, limits[name] ?? Infinity)]] : [],
  );
  if (all.length < Object.keys(allowed).length) return undefined;
  return holderOf({ principal, tokenId, allowed: Object.fromEntries(all) as TokenBudgets });
}

function isTokenBudget(name: string): name is TokenBudgetName {
  return Object.hasOwn(budgets, name) && "isInTokens" in budgets[name as TokenBudgetName];
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}
