// The opaque tokens on which something open rests. The provider is asked about them again: one that was revoked there ends what
// it began.
import type { PagewireError } from "../../../wire/index.ts";
import { Kept } from "../../common/kept.ts";
import type { Admitted } from "../../identity/admitted.ts";
import { clockTolerance } from "./check-claims.ts";

interface Held {
  readonly token: string;
  readonly digest: string;
  readonly askedAt: number;
  /** Its sessions go on with the next token of the client. A token that is refused after this may have been revoked or not. */
  readonly expiresAt: number;
}

export interface OpenTokensOptions {
  readonly now: () => number;
  /** Asks the provider. Resolves with the refusal of a token that is not good any more; rejects where that cannot be known. */
  readonly ask: (held: Pick<Held, "token" | "digest">) => Promise<PagewireError | undefined>;
  /** Called after tokens have ended. */
  readonly onEnded: () => void;
}

const most = 10_000;
/** A connection ends after this, and may come back with the same token if that is still good. */
export const connectedTime = 5 * 60_000;
/** No token is asked about again earlier. */
const restTime = 15_000;
/** Max tokens about which the provider is asked at a time. */
const atOnce = 8;

export class OpenTokens {
  readonly #options: OpenTokensOptions;
  /** By token id. */
  readonly #held: Kept<Held>;
  readonly #ended: Kept<true>;
  readonly #inUse = new Set<string>();
  #isAsking = false;

  constructor(options: OpenTokensOptions) {
    const { now } = options;
    this.#options = options;
    this.#held = new Kept({ most, now });
    this.#ended = new Kept({ most, now });
  }

  /** Takes a token that is good now. Returns its id. */
  add({ token, digest, expiresAt }: Pick<Held, "token" | "digest" | "expiresAt">): string {
    const { now } = this.#options;
    const id = `opaque ${digest}`;
    this.#held.set(id, { token, digest, expiresAt, askedAt: now() }, now() + connectedTime);
    this.#ended.delete(id);
    return id;
  }

  /** Whether a credential's token has ended. A credential that is asked about is in use. */
  hasEnded({ tokenId = "" }: Pick<Admitted, "tokenId">): boolean {
    if (!this.#held.get(tokenId)) return false;
    if (this.#ended.get(tokenId)) return true;
    this.#inUse.add(tokenId);
    return false;
  }

  /** Asks about those in use, a few at a time. A provider that is away ends nothing. */
  async askAgain(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const due = this.#takeDue();
    const askEach = async () => {
      for (let next = due.pop(); next; next = due.pop()) await this.#askAbout(next).catch(() => {});
    };
    await Promise.all(Array.from({ length: atOnce }, askEach));
    this.#isAsking = false;
  }

  #takeDue(): (readonly [id: string, held: Held])[] {
    const due: (readonly [string, Held])[] = [];
    for (const id of this.#inUse) {
      const held = this.#held.get(id);
      if (held && this.#options.now() - held.askedAt < restTime) continue;
      this.#inUse.delete(id);
      if (held && !this.#hasExpired(held)) due.push([id, held]);
    }
    return due;
  }

  async #askAbout([id, held]: readonly [id: string, held: Held]): Promise<void> {
    const { ask, now, onEnded } = this.#options;
    if (!(await ask(held)) || this.#hasExpired(held)) return;
    this.#held.set(id, held, now() + connectedTime);
    this.#ended.set(id, true, now() + connectedTime);
    onEnded();
  }

  /** At the provider, whose clock may be another one. */
  #hasExpired({ expiresAt }: Held): boolean {
    return expiresAt - clockTolerance * 1000 <= this.#options.now();
  }
}
