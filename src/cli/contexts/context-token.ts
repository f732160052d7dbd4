// The token for a context's hub, renewed before it ends and when the hub refuses it. A provider may give a new refresh token for the
// old one, once: processes renew one at a time, and keep what they got before anything else happens.
import { refreshTokenGrant } from "openid-client";
import type { ContextFiles } from "../../state/index.ts";
import { PagewireError } from "../../wire/index.ts";
import type { ErrorCode } from "../../wire/index.ts";
import type { Io } from "../common/io.ts";
import { createClient, discoverProvider, providerError, refusalOf } from "../sign-in/provider.ts";
import { loginCommand, readContext, writeContext } from "./context.ts";
import type { HubContext, Tokens } from "./context.ts";
import { replaceTokens, tokensOf } from "./keep-tokens.ts";
import type { TokenPlace } from "./keep-tokens.ts";

export interface ContextToken {
  /** A token that is good for the next moment at least. */
  current(): Promise<string>;
  /** Another one, after the hub refused this one. */
  renewed(refused: string): Promise<string>;
}

export type TokenIo = Pick<Io, "fetch" | "keyring" | "now" | "onInterrupt">;

/** A token this close to its end is renewed before it is used: a request takes some time, and clocks differ. */
const earliest = 30_000;
const lockPoll = 50;
/** A renewal ends earlier than this, even if the provider does not answer. */
const lockTimeout = 90_000;

export function createContextToken(files: ContextFiles, name: string, io: TokenIo): ContextToken {
  const place: TokenPlace = { files, keyring: io.keyring };
  const now = () => io.now().getTime();
  const isFresh = ({ expiresAt = Infinity }: Tokens) => expiresAt - now() > earliest;

  let last: { readonly text: string; readonly tokens: Tokens } | undefined;

  async function read(): Promise<{ readonly context: HubContext; readonly tokens: Tokens }> {
    const context = readContext(files, name);
    if (context === undefined)
      throw new PagewireError("token-required", `The context ${name} is gone. See: npx pagewire context list`);
    const text = JSON.stringify(context);
    // A place for secrets takes its time, and may ask its user.
    if (last?.text !== text) last = { text, tokens: await tokensOf(context, place) };
    return { context, tokens: last.tokens };
  }

  async function renew(refused: string | undefined): Promise<string> {
    return whileHeld({ files, name, io }, async () => {
      const { context, tokens } = await read();
      // Another process may have renewed it meanwhile.
      if (tokens.access !== refused && isFresh(tokens)) return tokens.access;
      const next = await refresh(context, tokens, io);
      writeContext(files, { ...context, kept: await replaceTokens(context, next, place) });
      return next.access;
    });
  }

  /** Requests that need another token at the same time wait for one renewal. */
  const renewals = new Map<string | undefined, Promise<string>>();
  function renewOnce(refused: string | undefined): Promise<string> {
    const renewal = renewals.get(refused) ?? renew(refused).finally(() => renewals.delete(refused));
    renewals.set(refused, renewal);
    return renewal;
  }

  return {
    async current() {
      const { tokens } = await read();
      return isFresh(tokens) ? tokens.access : renewOnce(undefined);
    },
    renewed: renewOnce,
  };
}

interface HeldContext {
  readonly files: ContextFiles;
  readonly name: string;
  readonly io: Pick<Io, "onInterrupt">;
}

/** Runs a change of a context's tokens while no other process makes one. Ctrl-C waits for its end. */
export async function whileHeld<Value>({ files, name, io }: HeldContext, change: () => Promise<Value>): Promise<Value> {
  let isInterrupted = false;
  const stop = io.onInterrupt(() => {
    isInterrupted = true;
  });
  try {
    const release = await hold(files, name, () => isInterrupted);
    try {
      const value = await change();
      if (isInterrupted) throw cancelled();
      return value;
    } finally {
      release();
    }
  } finally {
    stop();
  }
}

async function hold(files: ContextFiles, name: string, isInterrupted: () => boolean): Promise<() => void> {
  const since = performance.now();
  while (!isInterrupted()) {
    const lock = files.lock(name);
    if ("release" in lock) return lock.release;
    if (performance.now() - since > lockTimeout)
      throw new PagewireError(
        "identity-unavailable",
        `Process ${lock.holder.pid} has been renewing the sign-in of the context ${name} for long. End it, and try again.`,
      );
    await new Promise((resolve) => setTimeout(resolve, lockPoll));
  }
  throw cancelled();
}

function cancelled(): PagewireError {
  return new PagewireError("cancelled", "Cancelled from the command line.");
}

async function refresh(context: HubContext, { refresh: token }: Tokens, io: TokenIo): Promise<Tokens> {
  const { issuer, clientId, hub } = context;
  if (issuer === undefined || clientId === undefined) throw keyRefused(context);
  if (token === undefined) throw ended(context);
  const client = createClient(await discoverProvider(issuer, io.fetch), clientId, io.fetch);
  try {
    const answer = await refreshTokenGrant(client, token, { resource: resourceOf(hub) });
    return tokensFrom(answer, io.now(), token);
  } catch (error) {
    const refusal = refusalOf(error) ?? "";
    throw lastingRefusals.has(refusal) ? ended(context, error, refusal) : providerError(error, issuer);
  }
}

/** A provider that refuses so does not give a token later either. */
const lastingRefusals: ReadonlySet<string> = new Set([
  ...["invalid_grant", "invalid_client", "unauthorized_client"],
  ...["invalid_request", "invalid_scope", "invalid_target", "unsupported_grant_type"],
]);

/** Whether a hub refused the token, so that another one may be good. */
export function isTokenRefused(code: ErrorCode): boolean {
  return code === "token-expired" || code === "token-invalid";
}

/** The audience of access tokens for a hub. */
export function resourceOf(hub: string): string {
  return `${hub}/mcp`;
}

interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in?: number;
}

export function tokensFrom(answer: TokenAnswer, now: Date, before?: string): Tokens {
  const { access_token: access, refresh_token: refresh = before, expires_in: seconds } = answer;
  return { access, refresh, expiresAt: seconds === undefined ? undefined : now.getTime() + seconds * 1000 };
}

function ended(context: HubContext, cause?: unknown, refusal = "invalid_grant"): PagewireError {
  const { name, issuer } = context;
  const [why, first] =
    refusal === "invalid_grant"
      ? ["", ""]
      : [`: it refuses to renew it (${refusal})`, `npx pagewire context remove ${name}; `];
  const message = `The sign-in of the context ${name} has ended at ${issuer}${why}. Sign in again: ${first}${loginCommand(context)}`;
  return new PagewireError("token-expired", message, cause === undefined ? {} : { cause });
}

function keyRefused(context: HubContext): PagewireError {
  const message = `The hub ${context.hub} does not take the key of the context ${context.name} any more. Give it another: ${loginCommand(context)}`;
  return new PagewireError("token-invalid", message);
}
