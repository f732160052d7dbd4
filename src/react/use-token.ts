import { useCallback } from "react";
import type { RefObject } from "react";
import type { PageOptions } from "../page/index.ts";
import { PagewireError } from "../wire/index.ts";
import type { ProviderOptions } from "./provider-options.ts";

/** For whom the page acts: the same text, or the same function, for as long as it is the same person. */
export function useToken(
  options: ProviderOptions | undefined,
  newest: RefObject<ProviderOptions | undefined>,
): PageOptions["token"] {
  const { token, user } = options ?? { token: null };
  // A function that gets tokens may close over what a later render knows better, but it stays this user's.
  const ask = useCallback(() => {
    const now = newest.current;
    if (typeof now?.token === "function" && now.user === user) return now.token();
    throw new PagewireError("token-required", "Somebody else has signed in, or nobody.");
  }, [newest, user]);
  if (user === null || user === "") return null;
  return typeof token === "function" ? ask : token;
}
