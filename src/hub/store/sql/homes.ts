// Which of several hubs has a thing. A home is taken in one statement, so that one of several hubs at one time gets it.
import { defineOperation } from "./session.ts";
import { storedName } from "./schema.ts";

const takeHome = `insert into homes (name, hub, used) values (?, ?, ?)
  on conflict (name) do update set hub = excluded.hub, used = excluded.used
  where homes.hub = excluded.hub or homes.hub = ? returning hub`;
const selectHome = `select hub from homes where name = ?`;
const deleteHome = `delete from homes where name = ? and hub = ?`;

type Row = { readonly hub: string };

const laneOf = ([name]: readonly string[]) => `home ${name}`;

export const homeOperations = {
  takeHome: defineOperation({
    lane: laneOf,
    async run({ text, time }, [name, hub, from]: readonly [string, string, string | undefined]): Promise<string> {
      const place = storedName(name);
      // Between the two statements another hub may leave it.
      for (;;) {
        const taken = await text<Row>(takeHome, [place, hub, time.now(), from ?? hub]);
        const [row] = taken.rows.length > 0 ? taken.rows : (await text<Row>(selectHome, [place])).rows;
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
