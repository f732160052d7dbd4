// Who may open terminals. A shell is the most that a hub can give away, so that no other credential opens one: not the
// agents' token, not being a page of an allowed origin, not having signed in to the hub's own pages.
import { PagewireError } from "../../wire/index.ts";
import type { ShellPass, ShellProof } from "../terminals/shell-door.ts";
import type { Admitted } from "../identity/admitted.ts";
import { isShellToken } from "./app-sessions.ts";
import { isPageKey } from "../identity/page-keys.ts";
import type { AppSessions, Pass } from "./app-sessions.ts";

export interface ShellCredentials {
  /** Refuses a page by its origin, as far as that can be told before it says who it is. */
  checkOrigin(origin: string | undefined): void;
  /** A program by what codes are made with, or a page by the token that it was given for a code. */
  verify(token: string | undefined, origin: string | undefined): Promise<Admitted>;
  /** A code for pages of another origin, or for the hub's own. */
  mintCode(admitted: Admitted, origin: string | undefined): ShellCode;
  /** Lets a page in by a code, or by a token. */
  signIn(proof: ShellProof, origin: string | undefined): Promise<ShellPass>;
  /** Ends a sign-in; rejects where there is none to end. */
  signOut(admitted: Admitted): Promise<void>;
}

/** A code, and for whose pages: of which origin, and whether that is the hub's own, where it may be any of its names. */
export interface ShellCode extends Pass {
  readonly origin: string | undefined;
  readonly isOwn: boolean;
}

/** What these credentials rest on, which each mode of the hub has its own way of. */
export interface ShellRoot {
  /** Whoever brings this, a program or a page of an origin; rejects with why it may not. */
  admit(token: string | undefined, origin: string | undefined): Admitted | Promise<Admitted>;
  /** Throws, with the way out, where pages of this origin may not come in whatever they bring. */
  checkOrigin(origin: string | undefined): void;
}

export interface ShellCredentialsOptions {
  /** Whether this hub has terminals at all. */
  readonly isOn: boolean;
  readonly root: ShellRoot;
  readonly sessions: Pick<AppSessions, "mintCode" | "signIn" | "signOut" | "spendCode" | "verify">;
  readonly ownOrigins: ReadonlySet<string>;
}

export function createShellCredentials(options: ShellCredentialsOptions): ShellCredentials {
  const { isOn, root, sessions, ownOrigins } = options;

  async function verify(token: string | undefined, origin: string | undefined): Promise<Admitted> {
    if (!isOn) throw terminalsOff();
    if (token !== undefined && isShellToken(token)) return sessions.verify(token, { use: "shell", origin });
    return root.admit(token, origin);
  }

  async function exchange(
    { code, key }: Pick<ShellProof, "key"> & { readonly code: string },
    origin: string | undefined,
  ): Promise<ShellPass> {
    if (key !== undefined && !isPageKey(key)) throw new PagewireError("token-invalid", "This is no key of a page's.");
    const visit = { use: "shell", origin, key } as const;
    const { text: token, expiresAt, admitted } = await sessions.signIn(code, visit).catch(inTokensWords);
    return { admitted, token, ...(expiresAt === Infinity ? {} : { expiresAt }) };
  }

  return {
    checkOrigin: root.checkOrigin,
    verify,
    mintCode(admitted, asked) {
      const origin = asked ?? admitted.origin;
      if (admitted.origin !== undefined && origin !== admitted.origin)
        throw new PagewireError(
          "token-invalid",
          `This token is for pages of ${admitted.origin}, and makes codes for no other.`,
        );
      const isOwn = origin === undefined || ownOrigins.has(origin);
      if (!isOwn) root.checkOrigin(origin);
      const isFor = (one: string) => (isOwn && admitted.origin === undefined ? ownOrigins.has(one) : one === origin);
      return { ...sessions.mintCode(admitted, { use: "shell", isFor }), origin, isOwn };
    },
    async signIn({ code, token, key }, origin) {
      if (!isOn) throw terminalsOff();
      root.checkOrigin(origin);
      if (code === undefined) return { admitted: await verify(token, origin) };
      // Who is signed in stays who they are, whoever made the link that they opened; and a browser whose user opens one
      // link after the other has one sign-in, which is ended as one.
      const admitted = token === undefined ? undefined : await verify(token, origin).catch(orNobody);
      if (!admitted) return exchange({ code, key }, origin);
      sessions.spendCode(code);
      return { admitted };
    },
    async signOut(admitted) {
      if (admitted.session !== undefined) return sessions.signOut(admitted);
      throw new PagewireError(
        "token-invalid",
        "Only who signed in with a code can sign out. A token that an app's server signed ends at its own time.",
      );
    },
  };
}

const refusals: readonly string[] = ["token-invalid", "token-expired", "origin-not-allowed"];

/** Whose token is not good is nobody; that one cannot be looked at is an error all the same. */
function orNobody(error: unknown): undefined {
  if (!PagewireError.isInstance(error) || !refusals.includes(error.code)) throw error;
}

/** A socket is closed by names of its own, and has none for codes. */
function inTokensWords(error: unknown): never {
  throw PagewireError.isInstance(error) && error.code === "code-invalid"
    ? new PagewireError("token-invalid", error.message)
    : error;
}

/** What whoever asks a hub without terminals for one is told: short, since a closing socket has room for few words. */
export function terminalsOff(): PagewireError {
  return new PagewireError(
    "terminal-unavailable",
    "Terminals are off here. Start the hub with: npx pagewire hub --terminal",
  );
}
