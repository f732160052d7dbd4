// Access to terminals. A shell is the most powerful thing that a hub offers, so no other credential opens one: neither the
// agent token, nor an allowed origin, nor a sign-in to the hub's own pages.
import { PagewireError } from "../../wire/index.ts";
import type { ShellPass, ShellProof, ShellSwitch } from "../terminals/shell-door.ts";
import type { Admitted } from "../identity/admitted.ts";
import { isShellToken } from "./grant.ts";
import { isPageKey } from "../identity/page-keys.ts";
import type { AppSessions, Pass } from "./app-sessions.ts";

export interface ShellCredentials {
  /** Refuses a page by its origin, before it has authenticated. */
  checkOrigin(origin: string | undefined): void;
  /**
   * Authenticates a program by the root credential, also while terminals are off and can be switched on, or a page by its
   * token.
   */
  verify(token: string | undefined, origin: string | undefined): Promise<Admitted>;
  /** A code for pages of one origin, by default the hub's own. */
  mintCode(admitted: Admitted, origin: string | undefined): ShellCode;
  /** Authenticates a page by a code or a token. */
  signIn(proof: ShellProof, origin: string | undefined): Promise<ShellPass>;
  /** Ends a sign-in; rejects a credential that is not one. */
  signOut(admitted: Admitted): Promise<void>;
}

/** A code with the origin that may use it. The hub's own pages may use any of their origins. */
export interface ShellCode extends Pass {
  readonly origin: string | undefined;
  readonly isOwn: boolean;
}

/** The root credential, which differs between local mode and jwt mode. */
export interface ShellRoot {
  /** Authenticates a program, or a page of an origin; rejects with the reason. */
  admit(token: string | undefined, origin: string | undefined): Admitted | Promise<Admitted>;
  /** Throws if pages of this origin are refused with any credential; the message says how to allow it. */
  checkOrigin(origin: string | undefined): void;
}

export interface ShellCredentialsOptions {
  readonly shell: ShellSwitch;
  readonly root: ShellRoot;
  readonly sessions: Pick<AppSessions, "mintCode" | "signIn" | "signOut" | "spendCode" | "verify">;
  readonly ownOrigins: ReadonlySet<string>;
}

export function createShellCredentials(options: ShellCredentialsOptions): ShellCredentials {
  const { shell, root, sessions, ownOrigins } = options;

  function requireOn(): void {
    if (!shell.isOn) throw terminalsOff(shell);
  }

  async function verify(token: string | undefined, origin: string | undefined): Promise<Admitted> {
    const isSignIn = token !== undefined && isShellToken(token);
    if (isSignIn || !shell.load) requireOn();
    return isSignIn ? sessions.verify(token, { use: "shell", origin }) : root.admit(token, origin);
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
      requireOn();
      const isFor = (one: string) => (isOwn && admitted.origin === undefined ? ownOrigins.has(one) : one === origin);
      return { ...sessions.mintCode(admitted, { use: "shell", isFor }), origin, isOwn };
    },
    async signIn({ code, token, key }, origin) {
      requireOn();
      root.checkOrigin(origin);
      if (code === undefined) return { admitted: await verify(token, origin) };
      // A signed-in page keeps its identity, even with another person's link. Several links still leave one sign-in to end.
      const admitted = token === undefined ? undefined : await verify(token, origin).catch(orNobody);
      if (!admitted) return exchange({ code, key }, origin);
      await sessions.spendCode(code);
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

/** An invalid token means anonymous; failure to verify it is still an error. */
function orNobody(error: unknown): undefined {
  if (!PagewireError.isInstance(error) || !refusals.includes(error.code)) throw error;
}

/** There is no close code for an invalid code, so it is reported as an invalid token. */
function inTokensWords(error: unknown): never {
  throw PagewireError.isInstance(error) && error.code === "code-invalid"
    ? new PagewireError("token-invalid", error.message)
    : error;
}

/** Short, because it has to fit into a close reason. */
export function terminalsOff({ load }: Pick<ShellSwitch, "load">): PagewireError {
  const next = load ? "Switch them on with: npx pagewire terminal" : "Start the hub with: npx pagewire hub --terminal";
  return new PagewireError("terminal-unavailable", `Terminals are off here. ${next}`);
}
