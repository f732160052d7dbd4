// Who is signed in to the hub's own pages: a one-time code becomes a token of their own, which can be taken back.
// It keeps digests only, so that nothing that it holds, or that lies in the store, lets anybody in. Both texts have
// 256 random bits: guessing is hopeless, and looking one up by its digest tells nobody how close a guess was.
import { createHash, randomBytes } from "node:crypto";
import { PagewireError } from "../../wire/index.ts";
import type { JsonObject, Limits } from "../../wire/index.ts";
import type { Note } from "../log.ts";
import { readRecords } from "../store/index.ts";
import type { Store } from "../store/index.ts";
import type { Admitted } from "./admitted.ts";

/** A text that lets somebody in, and until when, in milliseconds since 1970. */
export interface Pass {
  readonly text: string;
  readonly expiresAt: number;
}

export interface AppSessions {
  /** A code for whoever asks, good once and for a short time. */
  mintCode(admitted: Admitted): Pass;
  /** Turns a code into a token; rejects where it is none, or not any more. */
  signIn(code: string): Promise<Pass>;
  /** Who signed in with this token. */
  verify(token: string): Promise<Admitted>;
  /** Ends what a token of the hub's own pages rests on. */
  signOut(admitted: Admitted): Promise<void>;
  isStillGood(admitted: Admitted): boolean;
}

export interface AppSessionsOptions {
  readonly store: Pick<Store, "records" | "setRecord">;
  readonly limits: Pick<Limits, "codeTime" | "codesPerPrincipal" | "appSessionTime" | "appSessionsPerPrincipal">;
  readonly now: () => number;
  readonly note: Note;
  /** Stands for what the hub's credentials rest on. Who signed in when it was another is not signed in any more. */
  readonly root: () => string;
  /** Hears that somebody is not signed in any more. */
  readonly onEnded: () => void;
}

/** On whose behalf, resting on what, and until when. */
interface Grant {
  readonly principal: string;
  readonly root: string;
  readonly expiresAt: number;
}

interface Code extends Grant {
  /** When the credential ends that asked for it. */
  readonly credentialEnds: number;
}

const prefix = "pagewire-app.";

/** Whether a token has the form of those that the hub gives its own pages. */
export function isAppToken(token: string): boolean {
  return token.startsWith(prefix);
}

export function createAppSessions(options: AppSessionsOptions): AppSessions {
  const { store, limits, now, note, root, onEnded } = options;
  /** By the digests of the texts, in the order in which they were given. */
  const codes = new Map<string, Code>();
  const sessions = new Map<string, Grant>();
  /** The keys of those that have ended and may still be in the store: what could not be written is tried again. */
  const leftOver = new Set<string>();
  let loading: Promise<void> | undefined;

  const isGood = (grant: Grant | undefined): grant is Grant =>
    grant !== undefined && grant.expiresAt > now() && grant.root === root();

  /** Read when first needed; what could not be read is tried again. */
  function load(): Promise<void> {
    const failed = (error: unknown): never => {
      loading = undefined;
      throw error;
    };
    return (loading ??= readRecords(store, "app-sessions", note).then((records) => {
      for (const [key, record] of records) {
        const grant = parseGrant(record);
        if (grant) sessions.set(key, grant);
      }
    }, failed));
  }

  /** Those that have ended, and of one principal those that came first, beyond so many. */
  function surplus(grants: ReadonlyMap<string, Grant>, principal: string, most: number): readonly string[] {
    const ended = [...grants].filter(([, grant]) => grant.expiresAt <= now());
    const own = [...grants].filter(([, grant]) => grant.expiresAt > now() && grant.principal === principal);
    return [...ended, ...own.slice(0, Math.max(0, own.length - most))].map(([key]) => key);
  }

  async function end(key: string): Promise<void> {
    if (!sessions.delete(key)) return;
    onEnded();
    for (const each of leftOver.add(key)) {
      await store.setRecord("app-sessions", each, undefined);
      leftOver.delete(each);
    }
  }

  async function begin({ principal, root: codesRoot, credentialEnds }: Code): Promise<Pass> {
    await load();
    const text = `${prefix}${newSecret()}`;
    const key = digestOf(text);
    const expiresAt = Math.min(now() + limits.appSessionTime, credentialEnds);
    const grant = { principal, root: codesRoot, expiresAt };
    await store.setRecord("app-sessions", key, grant);
    sessions.set(key, grant);
    for (const each of surplus(sessions, principal, limits.appSessionsPerPrincipal)) await end(each);
    return { text, expiresAt };
  }

  return {
    mintCode({ principal, expiresAt: credentialEnds = Infinity, session }) {
      if (session !== undefined)
        throw new PagewireError(
          "token-invalid",
          "Who signed in with a code cannot make others. Get one with: npx pagewire open",
        );
      const text = newSecret();
      const expiresAt = Math.min(now() + limits.codeTime, credentialEnds);
      codes.set(digestOf(text), { principal, root: root(), expiresAt, credentialEnds });
      for (const key of surplus(codes, principal, limits.codesPerPrincipal)) codes.delete(key);
      return { text, expiresAt };
    },
    async signIn(text) {
      const key = digestOf(text);
      const code = codes.get(key);
      codes.delete(key);
      if (code && isGood(code)) return begin(code);
      throw new PagewireError(
        "code-invalid",
        "This code is not good any more: each is good once, and for a short time. Get a new one with: npx pagewire open",
      );
    },
    async verify(token) {
      await load();
      const session = digestOf(token);
      const grant = sessions.get(session);
      if (!isGood(grant)) throw new PagewireError("token-expired", "You are not signed in any more. Sign in again.");
      const { principal, expiresAt } = grant;
      return { principal, credential: `app.${session}`, session, ...(expiresAt === Infinity ? {} : { expiresAt }) };
    },
    signOut: async ({ session }) => (session === undefined ? undefined : end(session)),
    isStillGood: ({ session }) => session !== undefined && isGood(sessions.get(session)),
  };
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** Undefined where it is none: then one has to sign in again. */
function parseGrant({ principal, root, expiresAt }: JsonObject): Grant | undefined {
  if (typeof principal !== "string" || typeof root !== "string") return undefined;
  // JSON has no Infinity.
  const end = expiresAt === null ? Infinity : expiresAt;
  return typeof end === "number" ? { principal, root, expiresAt: end } : undefined;
}
