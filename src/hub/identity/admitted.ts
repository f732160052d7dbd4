import { isGranted, readScopes } from "./scopes.ts";
import type { Scope } from "./scopes.ts";
import type { Route } from "../../switchboard/index.ts";
import { PagewireError, budgets, isJsonObject } from "../../wire/index.ts";
import type { JsonObject, Outcome, TokenBudgets, Limits, TokenBudgetName, ToolAnnotations } from "../../wire/index.ts";
import type { StoredRecord } from "../store/index.ts";

/** An authenticated client. */
export interface Admitted {
  readonly principal: string;
  /** A non-secret fingerprint of the credential. */
  readonly credential: string;
  /** When the credential expires, in milliseconds since 1970. */
  readonly expiresAt?: number;
  /** In jwt mode: the `jti` of the token that it derives from, if any, and when a token was issued. */
  readonly tokenId?: string;
  readonly issuedAt?: number;
  /** The sign-in that it belongs to, for the hub's own pages. */
  readonly session?: string;
  /** A fingerprint of the secret that the sign-in or the terminal derives from. */
  readonly restsOn?: string;
  /** In team mode: what the credential may be used for; everything if missing. */
  readonly scopes?: readonly Scope[];
  /** Whether it may change the hub's rules. */
  readonly isOwner?: boolean;
  /** Set for programs in a terminal. */
  readonly terminal?: string;
  /** Restricts the token to pages of this origin. */
  readonly origin?: string;
  /** The app that a page's token was signed for. */
  readonly app?: string;
  /** Lower limits from its token, and in team mode from its organisation. */
  readonly allowed?: TokenBudgets;
  /** In team mode, where its organisation lowers limits: its token's alone, which what derives from it keeps. */
  readonly ofToken?: Pick<Admitted, "allowed">;
  /** The name of a paired browser, whose extension says for which origin each of its pages speaks. */
  readonly browser?: string;
  /** Whether it is the user in person, who may answer what waits: the hub's owner, or in jwt mode by a token for terminals. */
  readonly inPerson?: true;
}

/** The part of a client that a derived credential keeps. */
export type Holder = Pick<Admitted, "principal" | "tokenId" | "allowed" | "scopes">;

type MaybeHolder = { readonly [Name in keyof Holder]: Holder[Name] | undefined } & Pick<
  Admitted,
  "principal" | "ofToken"
>;

export function holderOf(given: MaybeHolder): Holder {
  const { principal, tokenId, ofToken: { allowed } = given, scopes } = given;
  return {
    principal,
    ...(tokenId === undefined ? {} : { tokenId }),
    ...(allowed && { allowed }),
    ...(scopes && { scopes }),
  };
}

/** The same as if its token did not end: what belongs to a client, and not to one token, goes on with the next one. */
export function beyondExpiry(admitted: Admitted): Admitted {
  const { expiresAt: _, ...lasting } = admitted;
  return lasting;
}

/** The part of a client that its agents have: its lower limits, and the check of tools that say that they destroy. */
export function agentOf({ principal, allowed, scopes }: Pick<Admitted, "principal" | "allowed" | "scopes">) {
  return { principal, allowed, ...(scopes && { checkTool: toolCheck(scopes), bars: refusalOfScopes }) };
}

/** An earlier call may have run. */
function refusalOfScopes(found: Route): Outcome | undefined {
  if (!("outcome" in found) || found.outcome.code !== "scope-needed") return undefined;
  return { ...found.outcome, ran: "maybe" };
}

/** MCP takes a tool without hints for one that may destroy. It would stop ordinary agents at nearly every tool. */
export function toolCheck(scopes: readonly Scope[]) {
  return (tool: { readonly annotations?: ToolAnnotations | undefined } | undefined): void => {
    const { destructiveHint, readOnlyHint } = tool?.annotations ?? {};
    if (destructiveHint !== true || readOnlyHint === true || isGranted(scopes, "tools:destructive")) return;
    throw new PagewireError("scope-needed", scopeNeeded);
  };
}

/** Whether a client may answer questions about a call: only one that may make such a call itself. */
export function mayAnswer(scopes: Admitted["scopes"], begunWith: Admitted["scopes"]): boolean {
  return isGranted(scopes, "tools:destructive") || !isGranted(begunWith, "tools:destructive");
}

const scopeNeeded =
  "The tool says that it destroys, and the token may not be used for such tools. Get one with the scope tools:destructive.";

/** Reads a token's claim `budgets`. A token can lower limits, not raise them. */
export function readBudgets(claim: unknown, limits: Limits): TokenBudgets | undefined {
  return claim === undefined ? undefined : parseBudgets(claim, limits, tokenProblem);
}

function tokenProblem(problem: string): PagewireError {
  return new PagewireError("token-invalid", `The token's claim "budgets" is refused: ${problem}`);
}

/** Reads lower limits by the names of limits; throws what `refuse` makes of the problem. */
export function parseBudgets(given: unknown, limits: Limits, refuse: (problem: string) => PagewireError): TokenBudgets {
  if (!isJsonObject(given)) throw refuse("it is not an object.");
  const named = Object.entries(given).map(([name, amount]) => {
    if (!isTokenBudget(name)) throw refuse(`"${name.slice(0, 60)}" is no budget that can be lowered.`);
    if (!isAmount(amount)) throw refuse(`"${name}" is not a number of zero or more.`);
    return [name, Math.min(amount, limits[name])];
  });
  return Object.fromEntries(named) as TokenBudgets;
}

/** Of each budget the lower one. */
export function lowerBudgets(one: TokenBudgets | undefined, other: TokenBudgets): TokenBudgets {
  if (!one) return other;
  const names = [...Object.keys(one), ...Object.keys(other)] as TokenBudgetName[];
  return Object.fromEntries(names.map((name) => [name, Math.min(one[name] ?? Infinity, other[name] ?? Infinity)]));
}

/** Reads the holder of a stored record; undefined if it is invalid. Current limits apply. */
export function parseHolder(
  { principal, tokenId, allowed, scopes }: StoredRecord,
  limits: Partial<Limits>,
): Holder | undefined {
  if (tokenId !== undefined && typeof tokenId !== "string") return undefined;
  const holder = { principal, tokenId, scopes: readScopes(scopes) };
  if (allowed === undefined) return holderOf({ ...holder, allowed });
  if (!isJsonObject(allowed)) return undefined;
  const known = knownBudgets(allowed, limits);
  if (Object.keys(known).length < Object.keys(allowed).length) return undefined;
  return holderOf({ ...holder, allowed: known });
}

/** The budgets of a stored object that this hub knows. Current limits apply. */
export function knownBudgets(stored: JsonObject, limits: Partial<Limits>): TokenBudgets {
  const all = Object.entries(stored).flatMap(([name, amount]) =>
    isTokenBudget(name) && isAmount(amount) ? [[name, Math.min(amount, limits[name] ?? Infinity)]] : [],
  );
  return Object.fromEntries(all) as TokenBudgets;
}

function isTokenBudget(name: string): name is TokenBudgetName {
  return Object.hasOwn(budgets, name) && "isInTokens" in budgets[name as TokenBudgetName];
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}
