// The identity providers that sign people in at a hub of a team, over https only: elsewhere cookies are not safe.
import type { PageKey } from "../page-key.ts";
import type { AskHub } from "./ask-hub.ts";
import { isRefused } from "./is-refused.ts";

export interface SignInProvider {
  readonly name: string;
  readonly title: string;
}

/** None at a hub of another mode. */
export async function readProviders(ask: AskHub, { protocol } = location): Promise<readonly SignInProvider[]> {
  if (protocol !== "https:") return [];
  const answer = await ask({ method: "GET", path: "/api/sign-in" }).catch(() => undefined);
  const { providers } = Object(answer) as { readonly providers?: unknown };
  return Array.isArray(providers) ? providers.filter(isProvider) : [];
}

/** A token for a person who came back from signing in, whom the hub knows by its cookie. */
export async function resumeByCookie(
  ask: AskHub,
  key: Pick<PageKey, "publicKey">,
  place = location,
): Promise<string | undefined> {
  const own = (await readProviders(ask, place)).length === 0 ? undefined : await key.publicKey();
  if (own === undefined) return undefined;
  try {
    const { token } = Object(await ask({ method: "POST", path: "/api/session", body: { key: own } })) as {
      readonly token?: unknown;
    };
    return typeof token === "string" ? token : undefined;
  } catch (error) {
    if (isRefused(error)) return undefined;
    throw error;
  }
}

/** The address at which a person signs in, and comes back from to a place here. */
export function signInAddress({ name }: SignInProvider, returnTo: string): string {
  return `/sign-in?${new URLSearchParams({ provider: name, returnTo }).toString()}`;
}

/** The place of a tab that was opened to sign in for another one. */
export const signedInPlace = "/?signed-in";

function isProvider(value: unknown): value is SignInProvider {
  const { name, title } = Object(value) as Record<string, unknown>;
  return typeof name === "string" && typeof title === "string";
}
