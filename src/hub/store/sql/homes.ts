// Which of several hubs has a thing. A home is taken in one statement, so that one of several hubs at one time gets it.
import { nobody } from "../port/store.ts";
import { defineOperation } from "./session.ts";
import type { Session } from "./session.ts";
import { storedName } from "./schema.ts";

const takeHome = `insert into homes (name, hub, used) values (?, ?, ?)
  on conflict (name) do update set hub = excluded.hub, used = excluded.used
  where homes.hub = excluded.hub or homes.hub = ? returning hub`;
const selectHome = `select hub from homes where name = ?`;
const giveHome = `update homes set hub = ? where name = ? and hub <> ?`;
const deleteHome = `delete from homes where name = ? and hub = ?`;

type Row = { readonly hub: string };

const laneOf = ([name]: readonly string[]) => `home ${name}`;

interface Taking {
  readonly name: string;
  readonly hub: string;
  readonly from?: string | undefined;
}

/** Takes a home unless another hub has it; returns whether it did. In a transaction, the home is locked until its end. */
export async function isTaken({ text, time }: Session, { name, hub, from = hub }: Taking): Promise<boolean> {
  return (await text<Row>(takeHome, [storedName(name), hub, time.now(), from])).rows.length > 0;
}

/** Frees a home that another hub has. */
export async function freeHome({ text }: Session, name: string, hub: string): Promise<void> {
  await text(giveHome, [nobody, storedName(name), hub]);
}

export const homeOperations = {
  takeHome: defineOperation({
    lane: laneOf,
    async run(session, [name, hub, from]: readonly [string, string, string | undefined]): Promise<string> {
      // Between the two statements another hub may leave it.
      for (;;) {
        if (await isTaken(session, { name, hub, from })) return hub;
        const [row] = (await session.text<Row>(selectHome, [storedName(name)])).rows;
        if (row) return row.hub;
      }
    },
  }),
  findHome: defineOperation({
    isReading: true,
    lane: laneOf,
    async run({ text }, [name]: readonly [string]): Promise<string | undefined> {
      return (await text<Row>(selectHome, [storedName(name)])).rows[0]?.hub;
    },
  }),
  leaveHome: defineOperation({
    lane: laneOf,
    async run({ text }, [name, hub]: readonly [string, string]): Promise<void> {
      await text(deleteHome, [storedName(name), hub]);
    },
  }),
};
