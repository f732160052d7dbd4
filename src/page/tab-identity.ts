// A tab's durable identity: survives reload, and differs in a duplicated tab, which starts with a copy of our storage.
// Web Locks tell the two apart: the document whose tab it is holds the lock named after the id.
import type { Clock } from "../link/index.ts";
import type { Channel, Locks, TabStorage } from "./environment.ts";

/** An identity that is held. */
export interface TabIdentity {
  readonly id: string;
  /** Lets go while the document rests in the back/forward cache, which a held lock would keep it out of. */
  release(): void;
  /** Takes the identity up again. */
  resume(): Promise<void>;
}

interface IdentityPowers {
  readonly clock: Clock;
  readonly storage: TabStorage;
  readonly locks: Locks | undefined;
  readonly newId: () => string;
  openChannel(name: string, onWord: (word: string) => void): Channel;
}

const storageName = "pagewire:tab";
/** How long a slow pagehide of the document before us may keep the lock. */
const patience = 1500;

export async function claimTab(powers: IdentityPowers): Promise<TabIdentity> {
  const stored = powers.storage.get(storageName);
  if (stored && /^[\w-]{8,64}$/.test(stored)) {
    const release = await claim(powers, stored);
    if (release) return held(powers, stored, release);
  }
  const id = powers.newId();
  powers.storage.set(storageName, id);
  return held(powers, id, (await powers.locks?.take(id)) ?? (() => {}));
}

/** Takes the lock of an id, unless another live document answers for it. */
async function claim({ locks, clock, openChannel }: IdentityPowers, id: string): Promise<(() => void) | undefined> {
  const free = await locks?.take(id);
  if (free) return free;
  const waiting = new AbortController();
  return new Promise((resolve) => {
    const settle = (release: (() => void) | undefined) => {
      stopTimer();
      channel.close();
      waiting.abort();
      resolve(release);
    };
    const channel = openChannel(`pagewire:${id}`, (word) => word === "mine" && settle(undefined));
    const stopTimer = clock.after(patience, () => settle(() => {}));
    channel.send("whose?");
    void locks?.wait(id, waiting.signal).then((release) => release && settle(release));
  });
}

function held(powers: IdentityPowers, id: string, release: () => void): TabIdentity {
  let letGo = release;
  let channel = answerFor(powers, id);
  return {
    id,
    release() {
      letGo();
      channel.close();
    },
    async resume() {
      channel = answerFor(powers, id);
      letGo = (await powers.locks?.take(id)) ?? (() => {});
    },
  };
}

function answerFor({ openChannel }: IdentityPowers, id: string): Channel {
  const channel = openChannel(`pagewire:${id}`, (word) => word === "whose?" && channel.send("mine"));
  return channel;
}
