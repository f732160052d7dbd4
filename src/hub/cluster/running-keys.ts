// The ledger of keys, shared by hubs: a key without an outcome may belong to a call that another hub is running. Its outcome
// is waited for; only if no hub runs it, the page is asked.
import type { Clock } from "../../link/index.ts";
import type { KeyLedger, UsedKey } from "../../switchboard/index.ts";
import type { Others } from "./others.ts";

const firstWait = 50;
const longestWait = 1000;
const topic = "key";

export class RunningKeys {
  /** The keys of this hub's calls. */
  readonly #running = new Set<string>();
  #others: Pick<Others, "ask" | "ids"> | undefined;
  readonly #clock: Pick<Clock, "after">;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** From now on other hubs are asked, and answered. */
  join(others: Pick<Others, "ask" | "answers" | "ids">): void {
    this.#others = others;
    others.answers(topic, ({ name }) => ({ runs: typeof name === "string" && this.#running.has(name) }));
  }

  around(ledger: KeyLedger): KeyLedger {
    const ended = async <Done>(principal: string, key: string, done: Promise<Done>) => {
      try {
        return await done;
      } finally {
        this.#running.delete(nameOf(principal, key));
      }
    };
    return {
      isNew: ledger.isNew,
      use: async (principal, key, use) => {
        for (;;) {
          const used = await ledger.use(principal, key, use);
          if (!used) this.#running.add(nameOf(principal, key));
          if (!used || used.outcome !== undefined) return used;
          const settled = await this.#settled(principal, key, () => ledger.find(principal, key, use.fingerprint));
          // Its call did not run, and the key is free again.
          if (settled) return settled;
        }
      },
      find: (principal, key, fingerprint) =>
        this.#settled(principal, key, () => ledger.find(principal, key, fingerprint)),
      end: (principal, key, outcome) => ended(principal, key, ledger.end(principal, key, outcome)),
      free: (principal, key) => ended(principal, key, ledger.free(principal, key)),
    };
  }

  /** The ledger's answer once no other hub runs the key. */
  async #settled(
    principal: string,
    key: string,
    find: () => Promise<UsedKey | undefined>,
  ): Promise<UsedKey | undefined> {
    const name = nameOf(principal, key);
    for (let wait = firstWait; ; wait = Math.min(2 * wait, longestWait)) {
      const before = await find();
      if (!before || before.outcome !== undefined || !this.#others) return before;
      const runs = await this.#runsElsewhere(name);
      // It may have ended in between.
      const found = await find();
      if (!runs || !found || found.outcome !== undefined) return found;
      await new Promise<void>((resolve) => this.#clock.after(wait, resolve));
    }
  }

  /** Whether another hub says so; one that does not answer is not waited for then. */
  async #runsElsewhere(name: string): Promise<boolean> {
    const asked = (this.#others?.ids ?? []).map(async (hub) => {
      const { runs } = (await this.#others?.ask(hub, topic, { name })) ?? {};
      if (runs !== true) throw new Error("This hub does not run it.");
    });
    return Promise.any(asked).then(
      () => true,
      () => false,
    );
  }
}

function nameOf(principal: string, key: string): string {
  return JSON.stringify([principal, key]);
}
