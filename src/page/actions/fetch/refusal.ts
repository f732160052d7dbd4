import { PagewireError } from "../../../wire/index.ts";
import type { FetchPolicy } from "./fetch-policy.ts";

/** Rules that a policy sets, and those that hold whatever it says. */
export type FetchRule = Exclude<keyof FetchPolicy, "agents"> | "url" | "schemes" | "hub" | "body";

/** A request that one of the page's rules does not allow. */
export function refusal(rule: FetchRule, why: string): PagewireError {
  return new PagewireError("action-refused", `The page's rule \`${rule}\` does not allow this request: ${why}`);
}
