// Bounds work that strangers can cause, such as questions to an identity provider: each address has a share of its own.
import type { PagewireError } from "../../wire/index.ts";

export interface SharesOptions {
  /** The error for one too many. */
  readonly refusal: () => PagewireError;
  readonly perAddress?: number;
}

const inAll = 256;

export class Shares {
  readonly #open = new Map<string, number>();
  readonly #refusal: () => PagewireError;
  readonly #perAddress: number;
  #count = 0;

  constructor({ refusal, perAddress = 16 }: SharesOptions) {
    this.#refusal = refusal;
    this.#perAddress = perAddress;
  }

  /** Refuses one more of an address that has too many under way. */
  async run<Result>(address: string, work: () => Promise<Result>): Promise<Result> {
    const client = networkOf(address);
    const open = this.#open.get(client) ?? 0;
    if (open >= this.#perAddress || this.#count >= inAll) throw this.#refusal();
    this.#open.set(client, open + 1);
    this.#count++;
    try {
      return await work();
    } finally {
      const left = (this.#open.get(client) ?? 1) - 1;
      if (left > 0) this.#open.set(client, left);
      else this.#open.delete(client);
      this.#count--;
    }
  }
}

/** With IPv6 one client has all addresses of a network of 64 bits. */
function networkOf(address: string): string {
  if (!address.includes(":") || address.includes(".")) return address;
  const [before = [], after = []] = address.split("::").map((part) => part.split(":"));
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  const groups = [...before, ...(address.includes("::") ? zeros : []), ...after];
  return groups
    .slice(0, 4)
    .map((group) => group || "0")
    .join(":");
}
