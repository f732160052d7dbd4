// A hub that this user signed in to, as its file describes it.
import { contextNamePattern } from "../../state/index.ts";
import type { ContextFiles } from "../../state/index.ts";
import { PagewireError, isJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { usageError } from "../common/command.ts";

/** The name of the hub of this state directory. */
export const localName = "local";

export interface HubContext {
  readonly name: string;
  /** Its address, over https. */
  readonly hub: string;
  /** The identity provider; undefined for a service account. */
  readonly issuer: string | undefined;
  readonly clientId: string | undefined;
  readonly scopes: readonly string[];
  /** The tokens as they are in the file; undefined for a context that is signed out. */
  readonly kept: KeptTokens | undefined;
}

/** In the file itself, or sealed with a key that the operating system keeps. */
export type KeptTokens = { readonly plain: JsonObject } | { readonly sealed: string };

export interface Tokens {
  readonly access: string;
  readonly refresh?: string | undefined;
  /** In milliseconds since 1970; undefined if unknown. */
  readonly expiresAt?: number | undefined;
}

export function readContext(files: ContextFiles, name: string): HubContext | undefined {
  const record = files.read(name);
  if (record === undefined) return undefined;
  const { hub, issuer, clientId, scopes, tokens } = record;
  if (typeof hub !== "string" || !hub.startsWith("https://"))
    throw usageError(`The file ${files.path(name)} names no hub. Remove it: npx pagewire context remove ${name}`);
  const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);
  return {
    ...{ name, hub, issuer: textOf(issuer), clientId: textOf(clientId) },
    scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === "string") : [],
    kept: keptIn(tokens),
  };
}

function keptIn(tokens: unknown): KeptTokens | undefined {
  if (!isJsonObject(tokens)) return undefined;
  const { sealed } = tokens;
  return typeof sealed === "string" ? { sealed } : { plain: tokens };
}

export function parseTokens(value: JsonObject | undefined): Tokens | undefined {
  const { access, refresh, expiresAt } = value ?? {};
  if (typeof access !== "string") return undefined;
  return {
    access,
    refresh: typeof refresh === "string" ? refresh : undefined,
    expiresAt: typeof expiresAt === "number" ? expiresAt : undefined,
  };
}

export function writeContext(files: ContextFiles, { name, kept, ...rest }: HubContext): void {
  const tokens = kept === undefined ? undefined : "plain" in kept ? kept.plain : { sealed: kept.sealed };
  files.write(name, JSON.parse(JSON.stringify({ ...rest, tokens })) as JsonObject);
}

/** The context of this name; undefined for the hub of this state directory. */
export function contextNamed(files: ContextFiles, name: string): HubContext | undefined {
  if (name === localName) return undefined;
  const context = contextNamePattern.test(name) ? readContext(files, name) : undefined;
  if (context !== undefined) return context;
  const names = [localName, ...files.list()].join(", ");
  throw usageError(
    `There is no context ${JSON.stringify(name)}. There are: ${names}. Sign in to another hub with: npx pagewire login https://hub.example.com`,
  );
}

/** A name for a context that is made. */
export function checkName(name: string): string {
  if (contextNamePattern.test(name) && name !== localName && !name.endsWith(".json")) return name;
  throw usageError(
    `--context must be a name of up to 64 small letters, digits, ".", "_" and "-" other than "${localName}", not ${JSON.stringify(name)}.`,
  );
}

/** The command that signs in again. */
export function loginCommand({ name, hub, issuer }: Pick<HubContext, "name" | "hub" | "issuer">): string {
  return `npx pagewire login ${hub} --context ${name}${issuer === undefined ? " --key-file FILE" : ""}`;
}

export function signedOut(context: HubContext): PagewireError {
  const message = `The context ${context.name} is signed out. Sign in with: ${loginCommand(context)}`;
  return new PagewireError("token-required", message);
}
