import { randomBytes } from "node:crypto";
import type { Store } from "../../store/index.ts";

const name = "mcp state key";
const renewTime = 60 * 60_000;

/**
 * A key that all hubs with one database share: of those that they offer, the one that was written down first. It is renewed
 * while there are hubs, and forgotten a week after the last one.
 */
export class SharedKey {
  readonly #homes: Store["homes"];
  #key = randomBytes(32);
  #renewAt = -Infinity;

  constructor(homes: Store["homes"]) {
    this.#homes = homes;
  }

  get key(): Buffer {
    return this.#key;
  }

  /** Until it could be shared, the key is this hub's own. */
  async share(): Promise<void> {
    if (Date.now() < this.#renewAt) return;
    const own = this.#key.toString("base64url");
    const shared = await this.#homes.take(name, own).catch(() => undefined);
    if (shared === undefined) return;
    this.#renewAt = Date.now() + renewTime;
    if (shared !== own) this.#key = Buffer.from(shared, "base64url");
  }
}
