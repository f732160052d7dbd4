// Whether messages of other hubs were lost. A hub numbers what it sends to each subject, and says with each lease how far it
// came, so that also the loss of a last message is noticed. A hub that lost some asks for everything again, and goes by the
// numbers once the other has answered: all that was sent before counts for nothing.
import type { JsonObject } from "../../wire/index.ts";

/** The last number that a hub sent to each subject. */
export type Counts = JsonObject;

export interface LossesOptions {
  readonly now: () => number;
  /** The subjects at which messages are counted. */
  readonly subjects: readonly string[];
}

/** A hub that did not answer for this long is asked again. */
const answerTime = 1000;

interface Stream {
  /** The last number by subject. */
  readonly last: Map<string, number>;
  /** When it was asked for everything; undefined once it has answered. */
  askedAt: number | undefined;
}

export class Losses {
  readonly #options: LossesOptions;
  readonly #streams = new Map<string, Stream>();

  constructor(options: LossesOptions) {
    this.#options = options;
  }

  /** A hub is asked for everything. */
  asked(hub: string): void {
    this.#streamOf(hub).askedAt = this.#options.now();
  }

  /** A message came; returns whether some before it are missing. */
  came(hub: string, subject: string, number: number): boolean {
    if (!this.#options.subjects.includes(subject)) return false;
    const stream = this.#streamOf(hub);
    const expected = (stream.last.get(subject) ?? 0) + 1;
    stream.last.set(subject, number);
    return number !== expected && stream.askedAt === undefined;
  }

  /** A hub says what it has sent; returns whether some of it is missing, or its answer. */
  lacks(hub: string, counts: Counts): boolean {
    const { subjects, now } = this.#options;
    const { last, askedAt } = this.#streamOf(hub);
    if (askedAt !== undefined) return now() - askedAt >= answerTime;
    return subjects.some((subject) => countAt(subject, counts) > (last.get(subject) ?? 0));
  }

  /** A hub has answered, by a message to `inbox`: from now on none of its messages may be missing. */
  settle(hub: string, inbox: string, counts: Counts): void {
    const stream = this.#streamOf(hub);
    stream.askedAt = undefined;
    for (const subject of this.#options.subjects)
      if (subject !== inbox) stream.last.set(subject, countAt(subject, counts));
  }

  forget(hub: string): void {
    this.#streams.delete(hub);
  }

  #streamOf(hub: string): Stream {
    const stream = this.#streams.get(hub) ?? { last: new Map<string, number>(), askedAt: undefined };
    this.#streams.set(hub, stream);
    return stream;
  }
}

function countAt(subject: string, counts: Counts): number {
  const count = Object.hasOwn(counts, subject) ? counts[subject] : 0;
  return typeof count === "number" ? count : 0;
}
