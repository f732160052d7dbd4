// Browsers that are paired by the browser extension, which says for which site each of its pages speaks.
import { PagewireError, isExtensionOrigin, visibleText } from "../../wire/index.ts";
import { isOrigin } from "../common/is-origin.ts";
import type { Admitted } from "../identity/admitted.ts";
import type { AppSessions, Pass, SignedIn } from "./app-sessions.ts";
import { isBrowserToken, uses } from "./grant.ts";
import type { RootCredentials } from "./root-credentials.ts";

export interface BrowsersOptions {
  /** Applies the limits of an organisation. */
  readonly narrow: (admitted: Admitted) => Admitted | Promise<Admitted>;
  readonly sessions: Pick<AppSessions, "good" | "mintCode" | "remove" | "saw" | "signIn" | "signOut" | "verify">;
  readonly root: Pick<RootCredentials, "page">;
  readonly ownOrigins: ReadonlySet<string>;
  /** Whether this hub has an owner, who alone makes codes then. */
  readonly hasOwner: boolean;
  readonly now: () => number;
}

/** A paired browser, as its user sees it. Times are ISO texts. */
export interface BrowserInfo {
  readonly id: string;
  readonly name: string;
  /** The origin of its extension. */
  readonly origin: string;
  readonly pairedAt: string;
  readonly seenAt: string;
  /** Missing for a pairing that lasts until it is removed. */
  readonly expiresAt?: string;
  readonly connected: boolean;
  readonly tabs: number;
}

/** Min milliseconds between two writes of when a browser was seen. */
const seenInterval = 60_000;

interface Open {
  readonly admitted: Admitted;
  tabs: number;
  savedAt: number;
}

export function createBrowsers(options: BrowsersOptions): Browsers {
  return new Browsers(options);
}

export class Browsers {
  readonly #options: BrowsersOptions;
  /** The browsers with connected tabs, by session. */
  readonly #open = new Map<string, Open>();
  #pairing: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: BrowsersOptions) {
    this.#options = options;
  }

  /** A code to pair a browser with. */
  mintCode(admitted: Admitted): Pass {
    const { hasOwner, sessions } = this.#options;
    const isScoped = admitted.origin !== undefined || admitted.app !== undefined;
    if (isScoped || (hasOwner && !admitted.inPerson)) throw new PagewireError("option-refused", notInPerson);
    return sessions.mintCode(admitted, { use: "browser", isFor: isExtensionOrigin });
  }

  /** Exchanges a code for a token. One at a time: no two browsers get the same name. */
  pair(code: string, given: string, origin: string): Promise<SignedIn> {
    const name = visibleText(given).replaceAll(/\s+/g, " ").trim();
    const paired = this.#pairing.then(() => this.#options.sessions.signIn(code, { use: "browser", origin, name }));
    this.#pairing = paired.catch(() => {});
    return paired;
  }

  /** Ends a pairing, at once: at the browser's wish, or because its token did not reach it. Rejects if it is not saved yet. */
  forget(admitted: Admitted): Promise<void> {
    return this.#options.sessions.signOut(admitted);
  }

  /** Authenticates a page of an extension: one of a paired browser, or one that is admitted as other pages are. */
  async page(origin: string | undefined, token: string | undefined): Promise<Admitted> {
    return this.#options.narrow(await this.#admit(origin, token));
  }

  async #admit(origin: string | undefined, token: string | undefined): Promise<Admitted> {
    const { sessions, root } = this.#options;
    if (token !== undefined && isBrowserToken(token)) return sessions.verify(token, { use: "browser", origin });
    try {
      return await root.page(origin, token);
    } catch (error) {
      if (!PagewireError.isInstance(error) || !notAdmitted.includes(error.code)) throw error;
      throw new PagewireError(token === undefined ? "token-required" : "token-invalid", notPaired, { cause: error });
    }
  }

  /** The origin of a page: what its socket says, or what a paired browser's extension says of it. */
  originOf({ browser }: Admitted, origin: string | undefined, claimed: string | undefined): string {
    if (browser === undefined) return origin ?? "";
    if (claimed === undefined)
      throw new PagewireError("origin-not-allowed", "The extension did not say of which site this page is.");
    if (!isOrigin(claimed) || !/^https?:/.test(claimed))
      throw new PagewireError(
        "origin-not-allowed",
        `${JSON.stringify(claimed.slice(0, 200))} is not the origin of a site over http or https.`,
      );
    if (this.#options.ownOrigins.has(claimed))
      throw new PagewireError(
        "origin-not-allowed",
        "The pages of the hub itself are not offered through an extension.",
      );
    return claimed;
  }

  /** A page of a paired browser is connected; returns a function to call when it leaves. */
  entered(admitted: Admitted): () => void {
    const { browser, session } = admitted;
    if (browser === undefined || session === undefined) return () => {};
    const open = this.#open.get(session) ?? { admitted, tabs: 0, savedAt: 0 };
    this.#open.set(session, open);
    open.tabs++;
    if (this.#options.now() - open.savedAt >= seenInterval) void this.#save(open);
    return () => {
      if (--open.tabs > 0) return;
      this.#open.delete(session);
      if (!this.#isClosed) void this.#save(open);
    };
  }

  async list(principal: string): Promise<readonly BrowserInfo[]> {
    const { sessions, now } = this.#options;
    const found = await sessions.good(principal, "browser");
    return found.flatMap(([session, { origin = "", expiresAt, paired }]) => {
      if (!paired) return [];
      const tabs = this.#open.get(session)?.tabs ?? 0;
      return {
        ...{ id: idOf(session), name: paired.name, origin, pairedAt: isoTime(paired.at) },
        seenAt: isoTime(tabs > 0 ? now() : paired.seenAt),
        ...(expiresAt === Infinity ? {} : { expiresAt: isoTime(expiresAt) }),
        connected: tabs > 0,
        tabs,
      };
    });
  }

  /** Takes effect at once; rejects if it is not saved yet. */
  async remove(principal: string, id: string): Promise<void> {
    const { sessions } = this.#options;
    const found = (await sessions.good(principal, "browser")).find(([session]) => idOf(session) === id);
    if (!found) throw new PagewireError("route-not-found", "No browser with this id is paired.");
    await sessions.remove(principal, found[0]);
  }

  /** Saves when the connected browsers were seen. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open.values()].map((open) => this.#save(open)));
  }

  async #save(open: Open): Promise<void> {
    open.savedAt = this.#options.now();
    // The next time counts.
    await this.#options.sessions.saw(open.admitted).catch(() => {});
  }
}

const notAdmitted: readonly string[] = ["origin-not-allowed", "token-required"];

const notPaired = `This browser is not paired with the hub. Pair it with: ${uses.browser.command}`;

const notInPerson = `Browsers are paired by the hub's owner, and in jwt mode by the user, with a token that is for no app or origin. Run: ${uses.browser.command}`;

/** Not secret. It is an argument of commands, so it must not begin with a dash. */
function idOf(session: string): string {
  return session.slice(0, 16).replace(/^-/, "0");
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
