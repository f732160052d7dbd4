import type { Clock } from "pagewire/link";

export interface OfferPosterOptions {
  post(offer: object): Promise<unknown>;
  readonly clock: Clock;
  readonly random: () => number;
  /** The hub has accepted a newer offer. */
  told(): void;
}

/** Keeps the hub up to date about a window's offer to its conversation. */
export interface OfferPoster {
  /** Whether the hub has the newest offer. */
  readonly isCurrent: boolean;
  /** Sets the offer for the hub. One request runs at a time, with the newest. */
  want(offer: object): void;
  /** Sends the offer again: the hub may have lost it. Resolves once the hub has the newest. */
  tell(): Promise<void>;
  close(): void;
}

const firstWait = 500;
const longestWait = 30_000;

export function createOfferPoster({ post, clock, random, told }: OfferPosterOptions): OfferPoster {
  let wanted = "";
  let known: string | undefined;
  /** Whether any offer was accepted: until then, each request also retries. */
  let isTold = false;
  let running: Promise<void> | undefined;
  let failures = 0;
  let stopWaiting = () => {};
  let isClosed = false;

  async function postAll(): Promise<void> {
    while (known !== wanted && !isClosed) {
      const posting = wanted;
      await post(JSON.parse(posting) as object);
      known = posting;
      isTold = true;
      told();
    }
    failures = 0;
  }

  function run(): Promise<void> {
    stopWaiting();
    running ??= postAll().finally(() => {
      running = undefined;
    });
    return running;
  }

  function keepTrying(): void {
    run().catch(() => {
      if (isClosed) return;
      const milliseconds = random() * Math.min(longestWait, firstWait * 2 ** failures);
      failures += 1;
      stopWaiting = clock.after(milliseconds, keepTrying);
    });
  }

  return {
    get isCurrent() {
      return known === wanted;
    },
    want(offer) {
      const text = JSON.stringify(offer);
      if (text === wanted) return;
      wanted = text;
      if (isTold) keepTrying();
    },
    async tell() {
      await running?.catch(() => {});
      known = undefined;
      await run();
    },
    close() {
      isClosed = true;
      stopWaiting();
    },
  };
}
