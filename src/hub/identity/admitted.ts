import type { TokenBudgets } from "../../wire/index.ts";

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
