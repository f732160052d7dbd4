import type { DelegateResult } from "../../hub-client/index.ts";
import { PagewireError, defaultLimits, isJsonObject, parseJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { formatCredential } from "./credential-text.ts";

/** What git knows better: an answer that named another host would have the password stored as that host's. */
const ownedByGit = new Set(["protocol", "host", "path", "url", "wwwauth", "wwwauth[]"]);

/** The tab's answer as text for git; throws where it is no credential, or more than one. */
export function readReply({ structured, text }: Pick<DelegateResult, "structured" | "text">): string {
  const reply = isJsonObject(structured) ? structured : parseJsonObject(text, defaultLimits.jsonDepth);
  if (!reply || !isCredential(reply)) throw new PagewireError("output-invalid", "The tab's answer is no credential.");
  const attributes = Object.entries(reply).flatMap(([name, value]) => {
    const known = ownedByGit.has(name) || value === null ? undefined : valueOf(name, value);
    return known === undefined ? [] : [known];
  });
  return formatCredential(Object.fromEntries(attributes));
}

/** A password, what newer versions of git take for one, or the word that there is none to be had. */
function isCredential({ password, credential, quit }: JsonObject): boolean {
  return typeof password === "string" || typeof credential === "string" || isYes(quit);
}

function isYes(value: Json | undefined): boolean {
  return value === true || value === 1 || value === "1" || value === "true";
}

function valueOf(name: string, value: Json): readonly [string, string | readonly string[]] {
  if (Array.isArray(value)) return [name.endsWith("[]") ? name : `${name}[]`, value.map((each) => scalar(name, each))];
  return [name, scalar(name, value)];
}

function scalar(name: string, value: Json): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new PagewireError("output-invalid", `The tab's answer has a ${name} that git could not read.`);
}
