import type { PageOptions } from "../page/index.ts";
import { PagewireError } from "../wire/index.ts";

/**
 * The options of `connectPage`, without the tools, which come from `useTool`; a function that gets tokens needs a
 * `user`.
 */
export type ProviderOptions = Omit<PageOptions, "tools" | "token"> & (WithToken | WithUser);

interface WithToken {
  /** A token that the app's own server signed. Null or "" means signed out: nothing is offered. */
  readonly token?: string | null;
  readonly user?: never;
}

interface WithUser {
  /** A token of this user's, or how to get a fresh one whenever one is needed. */
  readonly token: Exclude<PageOptions["token"], undefined>;
  /** The user of these tokens, such as an id: another value is another user. Null or "" means signed out. */
  readonly user: string | null;
}

/** The options that need a new page. The others can change while it is connected. */
export interface Content {
  readonly options: Omit<PageOptions, "tools" | "token" | "onError">;
  readonly hasToken: boolean;
  /** Without it, one person's agents could be given the next person's page. */
  readonly lacksUser: boolean;
}

export function contentOf({ token, user, onError: _onError, ...options }: ProviderOptions): Content {
  return { options, hasToken: token !== undefined, lacksUser: typeof token === "function" && user === undefined };
}

/** Throws where tokens come from a function and `user` is missing. */
export function checkUser({ lacksUser }: Content): void {
  if (!lacksUser) return;
  throw new PagewireError(
    "options-invalid",
    'The option "user" must say whose tokens the function gets, such as user.id. Without it the page could not know when another person signs in.',
  );
}
