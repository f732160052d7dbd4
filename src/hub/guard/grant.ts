// A one-time code, and the sign-in that it is exchanged for, with the form of both in the store. Only digests are kept, so
// neither memory nor the store contains a usable credential. Codes and tokens have 256 random bits, so a lookup by digest
// leaks nothing about a guess.
import { createHash, randomBytes } from "node:crypto";
import { isJsonObject } from "../../wire/index.ts";
import type { Limits } from "../../wire/index.ts";
import type { StoredRecord } from "../store/index.ts";
import { holderOf, parseHolder } from "../identity/admitted.ts";
import type { Admitted, Holder } from "../identity/admitted.ts";

/** "app" for the hub's own pages, whose users are agents; "shell" for terminals; "browser" for the browser extension. */
export type Use = "app" | "shell" | "browser";

/** The use of a code, and for terminals the origins whose pages may exchange it. */
export type Purpose =
  | { readonly use: "app"; readonly isOwners?: boolean; readonly person?: Holder | undefined }
  | { readonly use: "shell" | "browser"; readonly isFor: (origin: string) => boolean };

export interface Grant extends Holder {
  readonly use: Use;
  /** Restricts it to pages of this origin: for terminals, for an extension, and where there is a key. */
  readonly origin?: string;
  /** The public key of its page. */
  readonly key?: string;
  /** For a sign-in of the hub's owner: a fingerprint of the key that its code derives from. */
  readonly owner?: string;
  /** For a sign-in of the user in person, in jwt mode: the id and a fingerprint of the token that shows it. */
  readonly person?: string;
  readonly personToken?: string;
  /** For a browser. */
  readonly paired?: Pairing;
  readonly root: string;
  readonly expiresAt: number;
}

/** The record of a paired browser; times are in milliseconds since 1970. */
export interface Pairing {
  readonly name: string;
  readonly at: number;
  readonly seenAt: number;
}

export interface Code extends Omit<Grant, "origin" | "key" | "owner" | "person" | "personToken" | "paired"> {
  readonly purpose: Purpose;
  /** When the credential that requested the code expires. */
  readonly credentialEnds: number;
}

export const uses = {
  app: { prefix: "pagewire-app.", command: "npx pagewire open" },
  shell: { prefix: "pagewire-shell.", command: "npx pagewire terminal" },
  browser: { prefix: "pagewire-browser.", command: "npx pagewire extension" },
} as const;

/** Whether a token looks like one issued to the hub's own pages. */
export function isAppToken(token: string): boolean {
  return token.startsWith(uses.app.prefix);
}

/** Whether a token looks like one issued to pages that may open terminals. */
export function isShellToken(token: string): boolean {
  return token.startsWith(uses.shell.prefix);
}

/** Whether a token looks like one issued to a browser extension. */
export function isBrowserToken(token: string): boolean {
  return token.startsWith(uses.browser.prefix);
}

export function admittedBy(grant: Grant, session: string): Admitted {
  const { use, root: restsOn, expiresAt, paired } = grant;
  const ends = expiresAt === Infinity ? {} : { expiresAt };
  const browser = paired && { browser: paired.name };
  return { ...holderOf(grant), credential: `${use}.${session}`, session, restsOn, ...browser, ...ends };
}

export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

export function toRecord({ paired, ...grant }: Grant): StoredRecord {
  return {
    ...grant,
    ...(paired && { paired: { ...paired } }),
    ...(grant.expiresAt === Infinity ? {} : { forgetAt: grant.expiresAt }),
  };
}

/** Undefined for an invalid record: the user has to sign in again. */
export function parseGrant(record: StoredRecord, limits: Partial<Limits>): Grant | undefined {
  const { use = "app", origin, key, owner, person, personToken, root, expiresAt } = record;
  const holder = parseHolder(record, limits);
  if (typeof root !== "string" || !holder) return undefined;
  // JSON has no Infinity.
  const end = expiresAt === null ? Infinity : expiresAt;
  if (typeof end !== "number") return undefined;
  const grant = {
    ...holder,
    root,
    expiresAt: end,
    ...(typeof owner === "string" ? { owner } : {}),
    ...(typeof person === "string" ? { person } : {}),
    ...(typeof personToken === "string" ? { personToken } : {}),
  };
  const bound = parseBound(key, origin);
  if (use === "app") return bound && { ...grant, use, ...bound };
  if (typeof origin !== "string") return undefined;
  if (use === "shell") return bound && { ...grant, use, origin, ...bound };
  const paired = use === "browser" ? parsePairing(record["paired"]) : undefined;
  return paired && { ...grant, use: "browser", origin, paired };
}

function parsePairing(value: unknown): Pairing | undefined {
  if (!isJsonObject(value)) return undefined;
  const { name, at, seenAt } = value;
  return typeof name === "string" && typeof at === "number" && typeof seenAt === "number"
    ? { name, at, seenAt }
    : undefined;
}

/** The key that a sign-in is bound to, with the origin of its page; undefined for an invalid record. */
function parseBound(key: unknown, origin: unknown): Pick<Grant, "key" | "origin"> | undefined {
  if (key === undefined) return {};
  return typeof key === "string" && typeof origin === "string" ? { key, origin } : undefined;
}
