// Settings of an organisation that are set only over those that were read, so that no admin's change is lost.
import type { IncomingMessage } from "node:http";
import type { JsonObject } from "../../../wire/index.ts";
import { readFilters } from "../read/read-filters.ts";
import { digestOf } from "../rules/show-policy.ts";
import { malformed } from "./answers.ts";

/** The digest of a setting, for `replaces`. */
export function digestOfSetting(set: JsonObject | undefined): string {
  return digestOf(set && JSON.stringify(set));
}

/** Throws for a setting that is not the one that the request replaces, if it names one. */
export function checkReplaces(request: IncomingMessage, digest = digestOfSetting) {
  const { replaces } = readFilters(request, ["replaces"]);
  return (before: JsonObject | undefined): void => {
    if (replaces !== undefined && replaces !== digest(before))
      throw malformed("It was changed by somebody else meanwhile. Load it again, and make your change there.");
  };
}
