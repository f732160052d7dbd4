// A tab's durable identity: survives reload, and differs in a duplicated tab, which starts with a copy of our storage.
// Web Locks tell the two apart: the document whose tab it is holds the lock named after the id.
import type { TabEnvironment } from "./environment.ts";

/** An identity that is held. */
export interface TabIdentity {
  readonly id: string;
  /** Lets go while the document rests in the back/forward cache, which a held lock would keep it out of. */
  release(): void;
  /** Takes the identity up again, if it was let go. */
  resume(): void;
}

type IdentityPowers = Pick<TabEnvironment, "clock" | "storage" | "takeLock" | "newId" | "openChannel">;

/** A document's claim to an id. */
interface Claim {
  /** Whether the id is this document's: decided once the document before it lets go, or another answers for it. */
  readonly granted: Promise<boolean>;
  end(): void;
}

const storageName = "tab";
/** How long a slow end of the document before us may keep the lock. */
const patience = 1500;

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

/** Claims an id; while the claim is granted, other documents that ask for the id are told so. */
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
    // Who has the lock and does not answer may be frozen. Where there are no locks, silence means that nobody is there.
    clock.after(patience, () => (takeLock ? resolve(false) : grant()));
  });
  return { granted, end: () => ending.abort() };
}
