// Asks the providers again about the people whose sign-ins are in use, so that a change of their groups is in force within a
// minute. A provider that is away ends nothing; one that does not answer for a sign-in any more ends it.
import { PagewireError } from "../../../wire/index.ts";
import type { Note } from "../../common/log.ts";
import type { People } from "../people/people.ts";
import { readClaims } from "../people/read-claims.ts";
import { longestAsking } from "./identity-client.ts";
import type { IdentityClient, Tokens } from "./identity-client.ts";
import { reasonOf } from "../tokens/identity-error.ts";
import type { SignIn } from "./sign-in-records.ts";
import type { SignIns } from "./sign-ins.ts";

/** The time between two rounds. */
export const roundTime = 20_000;
/** A sign-in that was not used for as long is checked before it is used again. */
const staleTime = 60_000;
/** No other hub asks meanwhile. What the answer takes, and to save it. */
const askingTime = longestAsking + 2000;
/** Max sign-ins about which providers are asked at a time. */
const atOnce = 8;

export interface FreshClaimsOptions {
  readonly signIns: SignIns;
  readonly clients: ReadonlyMap<string, IdentityClient>;
  readonly people: Pick<People, "note">;
  readonly note: Note;
  readonly now: () => number;
}

export class FreshClaims {
  readonly #options: FreshClaimsOptions;
  readonly #asked = new Map<string, Promise<void>>();
  /** By provider: one that did not answer just now is not waited for. */
  readonly #awayUntil = new Map<string, number>();

  constructor(options: FreshClaimsOptions) {
    this.#options = options;
  }

  /** Checks a sign-in before it is used after a long time. */
  async ensure(signIn: SignIn): Promise<void> {
    if (this.#options.now() - signIn.checkedAt > staleTime) await this.#check(signIn);
  }

  /** Checks those that were used lately. */
  async round(): Promise<void> {
    const { signIns, now } = this.#options;
    const due = (await signIns.takeUsed()).filter(({ checkedAt }) => now() - checkedAt > roundTime / 2);
    const check = async () => {
      for (let next = due.pop(); next; next = due.pop()) await this.#check(next);
    };
    await Promise.all(Array.from({ length: atOnce }, check));
  }

  #check(signIn: SignIn): Promise<void> {
    const known = this.#asked.get(signIn.id);
    if (known) return known;
    if ((this.#awayUntil.get(signIn.provider) ?? 0) > this.#options.now()) return Promise.resolve();
    const { provider } = signIn;
    const asked = this.#ask(signIn)
      .catch((error: unknown) => {
        const code = PagewireError.isInstance(error) ? error.code : "internal-error";
        this.#options.note("warn", "claims-not-checked", { code, provider, message: reasonOf(error) });
      })
      .finally(() => this.#asked.delete(signIn.id));
    this.#asked.set(signIn.id, asked);
    return asked;
  }

  async #ask(given: SignIn): Promise<void> {
    const { signIns, clients, now } = this.#options;
    const client = clients.get(given.provider);
    const signIn = await this.#take(given);
    if (!signIn) return;
    // The provider is none of this hub any more.
    if (!client) return signIns.end(signIn, "provider");
    const at = now();
    const sealed = (tokens: Tokens) => ({ sealed: signIns.sealed(signIn, tokens) });
    try {
      const keep = (tokens: Tokens) => signIns.keep(signIn, sealed(tokens));
      const identity = await client.again(signIns.tokensOf(signIn), signIn.subject, keep);
      await signIns.keep(signIn, { ...sealed(identity.tokens), checkedAt: at, askingUntil: 0 });
      const { principal, ...claims } = readClaims(client.provider, identity.claims);
      await this.#options.people.note(principal, claims, at);
      if (!claims.isMember || principal !== signIn.principal) await signIns.end(signIn, "claims");
    } catch (error) {
      const code = PagewireError.isInstance(error) ? error.code : undefined;
      if (code === "token-expired") {
        this.#options.note("info", "sign-in-ended", {
          provider: signIn.provider,
          message: whyEnded(signIns.tokensOf(signIn), error),
        });
        return signIns.end(signIn, "provider");
      }
      // The claims do not say any more who this is, or name an organisation that may not use the hub.
      if (code === "token-invalid" || code === "option-refused") return signIns.end(signIn, "claims");
      // A bad answer about one person is no reason not to ask about others.
      if (code === "identity-unavailable") this.#awayUntil.set(signIn.provider, now() + roundTime / 2);
      await signIns.keep(signIn, { askingUntil: 0 });
      throw error;
    }
  }

  /** Only one hub asks at a time: most tokens for asking are good once. */
  async #take(signIn: SignIn): Promise<SignIn | undefined> {
    const { signIns, now } = this.#options;
    return signIns.change(signIn, (kept) => {
      const isFree = (kept.askingUntil ?? 0) <= now() && now() - kept.checkedAt > roundTime / 2;
      return isFree ? { ...kept, askingUntil: now() + askingTime } : undefined;
    });
  }
}

/** For the hub's log: sign-ins of everybody that end early are a fault of the provider's settings. */
function whyEnded({ refresh }: Tokens, error: unknown): string {
  const advice =
    refresh === undefined ? ". It gave the hub no refresh token: let it, or ask for one by signInParameters" : "";
  return reasonOf(error) + advice;
}
