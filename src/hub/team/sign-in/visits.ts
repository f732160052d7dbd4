// Bounds the questions to identity providers that strangers can cause: each address has a share of its own.
import { PagewireError } from "../../../wire/index.ts";

const inAll = 256;
const perAddress = 16;

export class Visits {
  readonly #open = new Map<string, number>();
  #count = 0;

  /** Refuses one more of an address that has too many under way. */
  async run<Result>(address: string, work: () => Promise<Result>): Promise<Result> {
    const open = this.#open.get(address) ?? 0;
    if (open >= perAddress || this.#count >= inAll)
      throw new PagewireError("requests-too-many", "Too many people sign in at the moment.", { retryAfter: 1000 });
    this.#open.set(address, open + 1);
    this.#count++;
    try {
      return await work();
    } finally {
      const left = (this.#open.get(address) ?? 1) - 1;
      if (left > 0) this.#open.set(address, left);
      else this.#open.delete(address);
      this.#count--;
    }
  }
}
