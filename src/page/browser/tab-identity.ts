// A tab's durable identity: survives reload, and differs in a duplicated tab, which starts with a copy of our storage.
// Web Locks tell the two apart: the document whose tab it is holds the lock named after the id.
import type { TabEnvironment } from "./environment.ts";

/** The tab's id, backed by a lock. */
export interface TabIdentity {
  readonly id: string;
  /** Releases the lock for the back/forward cache, which a held lock would keep the document out of. */
  release(): void;
  /** Acquires the lock again if it was released. */
  resume(): void;
}

type IdentityPowers = Pick<TabEnvironment, "clock" | "storage" | "takeLock" | "newId" | "openChannel">;

/** A document's claim to an id. */
interface Claim {
  /** Whether the id belongs to this document: decided once the previous document releases it, or another one claims it. */
  readonly granted: Promise<boolean>;
  end(): void;
}

const storageName = "tab";
/** How long a slowly unloading previous document may keep the lock, in milliseconds. */
const lockTimeout = 1500;

/** Finds out which tab this document is. */
export async function identifyTab(powers: IdentityPowers): Promise<TabIdentity> {
  const { storage, newId } = powers;
  let id = storage.get(storageName) ?? "";
  let claim = /^[\w-]{8,64}$/.test(id) ? claimTab(powers, id) : undefined;
  if (!(await claim?.granted)) {
    claim?.end();
    id = newId();
    storage.set(storageName, id);
    claim = claimTab(powers, id);
  }
  return {
    id,
    release() {
      claim?.end();
      claim = undefined;
    },
    resume() {
      claim ??= claimTab(powers, id);
    },
  };
}

/** Claims an id; while the claim is granted, this document answers others that ask for the id. */
function claimTab({ clock, takeLock, openChannel }: IdentityPowers, id: string): Claim {
  const name = `pagewire ${id}`;
  const ending = new AbortController();
  const granted = new Promise<boolean>((resolve) => {
    let isGranted = false;
    const grant = () => {
      isGranted = true;
      resolve(true);
    };
    const channel = openChannel(name, (word) => {
      if (word === "mine") resolve(false);
      else if (isGranted) channel.send("mine");
    });
    ending.signal.addEventListener("abort", () => channel.close());
    channel.send("whose?");
    void takeLock?.(name, ending.signal).then((isTaken) => isTaken && grant());
    // A holder of the lock that does not answer may be frozen. Without locks, silence means that the id is free.
    clock.after(lockTimeout, () => (takeLock ? resolve(false) : grant()));
  });
  return { granted, end: () => ending.abort() };
}
