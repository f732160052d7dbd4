// One identity provider as the issuer of access tokens: what it says of itself, and its keys.
import { createLocalJWKSet } from "jose";
import type { JSONWebKeySet, JWTVerifyGetKey } from "jose";
import type { ServerMetadata } from "openid-client";
import { PagewireError } from "../../../wire/index.ts";
import { Shares } from "../../common/shares.ts";
import type { Provider } from "../../options/team-options.ts";
import { reasonOf } from "./identity-error.ts";
import { cooldown, createProviderFetch, discover, unavailable } from "./provider-requests.ts";
import type { IssuerOptions } from "./provider-requests.ts";

interface Known {
  readonly metadata: ServerMetadata;
  readonly discoveredAt: number;
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly fetchedAt: number;
  /** Of the fetch that brought it. */
  readonly number: number;
}

/** A key that the provider has withdrawn is good for this long at most, where the provider can be reached. */
const keysTime = 5 * 60_000;
/** And where it cannot. Who keeps the hub from its provider must not keep a stolen key good for ever. */
const keysTimeAway = 24 * 3_600_000;

export class Issuer {
  readonly #provider: Provider;
  readonly #options: IssuerOptions;
  readonly #waits = new Shares({ refusal: tooMany });
  #known: Known | undefined;
  #asking: Promise<Known> | undefined;
  #next: Promise<Known> | undefined;
  #askedAt = -Infinity;
  #begun = 0;
  /** While set, the provider is away. */
  #failure: PagewireError | undefined;

  constructor(provider: Provider, options: IssuerOptions) {
    this.#provider = provider;
    this.#options = options;
  }

  /** Finds keys of tokens that a client brought; rejects with `identity-unavailable` if none is known, and none can be had. */
  keysFor(client: string): JWTVerifyGetKey {
    return async (header, token) => {
      const { find } = await this.#current();
      try {
        return await find(header, token);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ERR_JWKS_NO_MATCHING_KEY")) throw error;
        const newer = await this.#waits.run(client, () => this.#fetchNew());
        return newer.find(header, token);
      }
    };
  }

  /** The issuer's metadata; rejects with `identity-unavailable` if it cannot be read. */
  async metadata(): Promise<ServerMetadata> {
    const { metadata } = await this.#current();
    return metadata;
  }

  /** The keys and metadata, a few minutes old at most if the provider can be reached. One request waits for them, the others do not. */
  async #current(): Promise<Known> {
    const known = this.#known && this.#since(this.#known.fetchedAt) < keysTimeAway ? this.#known : undefined;
    if (known && this.#since(known.fetchedAt) < keysTime) return known;
    const failure = this.#failure;
    if (failure && this.#isResting()) {
      if (known) return known;
      throw failure;
    }
    if (known && this.#asking) return known;
    const asked = this.#ask();
    if (!known) return asked;
    const askedOrKnown = asked.catch(() => known);
    return failure ? known : askedOrKnown;
  }

  /** Keys of a fetch that begins after this call: those of one that is under way may be from before a new key. */
  async #fetchNew(): Promise<Known> {
    const begun = this.#begun;
    while (!this.#known || this.#known.number <= begun) {
      if (this.#failure && this.#isResting()) throw this.#failure;
      await (this.#asking ?? this.#askNext());
    }
    return this.#known;
  }

  /** Whether a provider that is away is being asked, or was a moment ago. */
  #isResting(): boolean {
    return this.#asking !== undefined || this.#since(this.#askedAt) < cooldown;
  }

  /** The clock may have been set back. */
  #since(time: number): number {
    const passed = this.#options.now() - time;
    return passed < 0 ? Infinity : passed;
  }

  #askNext(): Promise<Known> {
    const left = Math.max(0, cooldown - this.#since(this.#askedAt));
    this.#next ??= new Promise((resolve) => setTimeout(resolve, left))
      .then(() => this.#ask())
      .finally(() => (this.#next = undefined));
    return this.#next;
  }

  #ask(): Promise<Known> {
    this.#asking ??= this.#fetch().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #fetch(): Promise<Known> {
    const { now, note } = this.#options;
    const { issuer, name } = this.#provider;
    const number = ++this.#begun;
    this.#askedAt = now();
    try {
      const { metadata, discoveredAt } = await this.#discovered();
      const find = createLocalJWKSet(await fetchKeys(metadata, issuer));
      this.#known = { metadata, discoveredAt, find, fetchedAt: now(), number };
      this.#failure = undefined;
      return this.#known;
    } catch (error) {
      note("warn", "identity-unavailable", { provider: name, message: reasonOf(error) });
      // The next question waits also where this one took long.
      this.#askedAt = now();
      this.#failure = unavailable(this.#provider, error);
      throw this.#failure;
    }
  }

  /** The endpoints: asked again with the keys, except for a new key, and after a failure, as they may have moved. */
  async #discovered(): Promise<Pick<Known, "metadata" | "discoveredAt">> {
    const known = this.#known;
    if (known && !this.#failure && this.#since(known.discoveredAt) < keysTime) return known;
    return { metadata: await discover(this.#provider), discoveredAt: this.#options.now() };
  }
}

/** A provider of opaque tokens may have none. */
async function fetchKeys({ jwks_uri: address }: ServerMetadata, issuer: string): Promise<JSONWebKeySet> {
  if (address === undefined) return { keys: [] };
  const asked = {
    method: "GET",
    headers: { Accept: "application/json" },
    body: undefined,
    redirect: "manual",
  } as const;
  const answer = await createProviderFetch(issuer)(address, asked);
  if (!answer.ok) throw new TypeError(`The provider's keys were answered with ${answer.status}.`);
  return (await answer.json()) as JSONWebKeySet;
}

function tooMany(): PagewireError {
  const message = "Too many tokens with keys that are not known are checked at the moment.";
  return new PagewireError("requests-too-many", message, { retryAfter: cooldown });
}
