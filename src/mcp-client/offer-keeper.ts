// What a server offers, as it was read last, and who hears of changes.
import type { Offer, OfferChange } from "../wire/index.ts";
import { diffOffers } from "./diff-offers.ts";
import type { McpClock } from "./mcp-toolbox.ts";
import { boundOffer, readList } from "./read-lists.ts";
import type { ListNeeds } from "./read-lists.ts";
import type { Session } from "./session.ts";

/** Between the end of one reading and the next that a server's news asks for: some tell of news whenever they are read. */
const restTime = 250;

export interface OfferKeeper {
  offer(): Offer;
  /** Reads these lists; all of them by default. Rejects where the server does not give its tools. */
  read(session: Session, which?: readonly (keyof Offer)[]): Promise<void>;
  /** Reads these lists soon: the server said that they changed. */
  readSoon(session: Session, which: readonly (keyof Offer)[]): void;
}

export interface OfferNeeds extends ListNeeds {
  /** The lists that are read at all. */
  readonly lists: readonly (keyof Offer)[];
  readonly clock: McpClock;
  changed(change: OfferChange): void;
}

export function createOfferKeeper(needs: OfferNeeds): OfferKeeper {
  const { clock } = needs;
  const due = new Set<keyof Offer>();
  let offer: Offer = { tools: [], resources: [], resourceTemplates: [], prompts: [] };
  let reading = Promise.resolve();
  let rested = 0;
  /** Whose news is to be read, while that waits. */
  let telling: Session | undefined;

  async function readNow(session: Session, which: readonly (keyof Offer)[]): Promise<void> {
    const wanted = which.filter((kind) => needs.lists.includes(kind));
    const read = await Promise.all(wanted.map(async (kind) => [kind, await readOrKeep(session, kind)]));
    const next = boundOffer({ ...offer, ...(Object.fromEntries(read) as Partial<Offer>) }, needs);
    const change = diffOffers(offer, next);
    offer = next;
    if (change) needs.changed(change);
  }

  /** A list that cannot be read stays as it was; without tools a server is of no use. */
  async function readOrKeep(session: Session, kind: keyof Offer): Promise<readonly object[]> {
    try {
      return await readList(session, kind, needs);
    } catch (error) {
      if (kind === "tools" || session.over.aborted) throw error;
      // Many servers with resources know no templates.
      if ((error as { readonly code?: unknown }).code !== methodNotFound) needs.problem(error);
      return offer[kind];
    }
  }

  /** One reading after the other: each difference is one to what was told before. */
  function read(session: Session, which = needs.lists): Promise<void> {
    const done = reading.then(() => readNow(session, which));
    reading = done.catch(() => {}).then(() => void (rested = clock.now() + restTime));
    return done;
  }

  async function readDue(): Promise<void> {
    const session = telling;
    const which = [...due];
    telling = undefined;
    due.clear();
    if (!session || session.over.aborted) return;
    await read(session, which).catch((error: unknown) => session.over.aborted || needs.problem(error));
  }

  return {
    offer: () => offer,
    read,
    readSoon(session, which) {
      for (const kind of which) due.add(kind);
      const isWaiting = telling !== undefined;
      telling = session;
      if (isWaiting) return;
      void reading.then(() => {
        const wait = rested - clock.now();
        if (wait > 0) clock.after(wait, () => void readDue());
        else void readDue();
      });
    },
  };
}

const methodNotFound = -32_601;
