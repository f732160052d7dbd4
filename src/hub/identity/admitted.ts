import { PagewireError, budgets, isJsonObject } from "../../wire/index.ts";
import type { TokenBudgets, Limits, TokenBudgetName } from "../../wire/index.ts";
import type { StoredRecord } from "../store/index.ts";

/** Someone who may come in. */
export interface Admitted {
  readonly principal: string;
  /** Stands for the credential; equal for equal credentials, and no secret. */
  readonly credential: string;
  /** When the credential ends, in milliseconds since 1970. */
  readonly expiresAt?: number;
  /** The id of the token of jwt mode that it rests on, where that has one, and when a token was issued. */
  readonly tokenId?: string;
  readonly issuedAt?: number;
  /** The sign-in that it rests on, where it is one of the hub's own pages. */
  readonly session?: string;
  /** Stands for the secret that the sign-in or the terminal rests on. */
  readonly restsOn?: string;
  /** The terminal whose programs it is. */
  readonly terminal?: string;
  /** The one origin whose pages may bring the token, where it was signed for one. */
  readonly origin?: string;
  /** The app that a page's token was signed for. */
  readonly app?: string;
  /** What it may have less of than others, as its token says. */
  readonly allowed?: TokenBudgets;
}

/** Who has what rests on a credential: on whose behalf, by which token of jwt mode, and with which budgets. */
export type Holder = Pick<Admitted, "principal" | "tokenId" | "allowed">;

type MaybeHolder = { readonly [Name in keyof Holder]: Holder[Name] | undefined } & Pick<Holder, "principal">;

export function holderOf({ principal, tokenId, allowed }: MaybeHolder): Holder {
  return { principal, ...(tokenId === undefined ? {} : { tokenId }), ...(allowed && { allowed }) };
}

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
