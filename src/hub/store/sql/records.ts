import { defineOperation } from "./session.ts";
import type { Session } from "./session.ts";
import type { RecordPage } from "../port/store.ts";
import { storedName } from "./schema.ts";

/** A record as JSON, with its indexed fields. */
export interface RecordText {
  readonly principal: string;
  readonly forgetAt: number | undefined;
  readonly value: string;
}

export interface Replacement {
  /** The record's text as it was read. */
  readonly before: string | undefined;
  readonly after: RecordText | undefined;
}

type Named = readonly [kind: string, key: string];

const laneOf = ([kind, key]: readonly string[]) => `record ${kind} ${key}`;

export const recordOperations = {
  record: defineOperation({
    isReading: true,
    lane: laneOf,
    async run({ build, run }, [kind, key]: Named): Promise<string | undefined> {
      const found = build.selectFrom("records").select("value").where("kind", "=", kind).where("key", "=", key);
      return (await run(found)).rows[0]?.value;
    },
  }),
  /** By key, the most recently set last. */
  records: defineOperation({
    isReading: true,
    async run(
      { build, run },
      [kind, principal]: readonly [string, string | undefined],
    ): Promise<readonly [string, string][]> {
      let found = build.selectFrom("records").select(["key", "value"]).where("kind", "=", kind).orderBy("changed");
      if (principal !== undefined) found = found.where("principal", "=", storedName(principal));
      return (await run(found)).rows.map(({ key, value }) => [key, value]);
    },
  }),
  /** In the order of their keys. */
  recordsAfter: defineOperation({
    isReading: true,
    async run(
      { build, run },
      [kind, principal, { after, limit }]: readonly [string, string, RecordPage],
    ): Promise<readonly [string, string][]> {
      let found = build.selectFrom("records").select(["key", "value"]).where("kind", "=", kind);
      found = found.where("principal", "=", storedName(principal)).orderBy("key").limit(limit);
      if (after !== undefined) found = found.where("key", ">", after);
      return (await run(found)).rows.map(({ key, value }) => [key, value]);
    },
  }),
  setRecord: defineOperation({
    lane: laneOf,
    async run({ build, run, time }, [kind, key, record]: readonly [...Named, RecordText | undefined]): Promise<void> {
      if (!record) {
        await run(build.deleteFrom("records").where("kind", "=", kind).where("key", "=", key));
        return;
      }
      const row = rowOf(record, time);
      await run(
        build
          .insertInto("records")
          .values({ kind, key, ...row })
          .onConflict((conflict) => conflict.columns(["kind", "key"]).doUpdateSet(row)),
      );
    },
  }),
  replaceRecord: defineOperation({
    lane: laneOf,
    async run(
      { build, run, time },
      [kind, key, { before, after }]: readonly [...Named, Replacement],
    ): Promise<boolean> {
      const row = after && rowOf(after, time);
      if (before === undefined) {
        if (!row) return false;
        const added = build.insertInto("records").values({ kind, key, ...row });
        return (await run(added.onConflict((conflict) => conflict.doNothing()))).changes > 0;
      }
      const { changes } = row
        ? await run(
            build
              .updateTable("records")
              .set(row)
              .where(({ and }) => and({ kind, key, value: before })),
          )
        : await run(build.deleteFrom("records").where(({ and }) => and({ kind, key, value: before })));
      return changes > 0;
    },
  }),
};

function rowOf({ principal, value, forgetAt }: RecordText, time: Session["time"]) {
  return { principal: storedName(principal), value, forgetAt: forgetAt ?? null, changed: time.next() };
}

export const usageOperations = {
  tokens: defineOperation({
    isReading: true,
    async run({ build, run }, [principal, since]: readonly [string, string]): Promise<number> {
      const used = build
        .selectFrom("usage")
        .select("tokens")
        .where("day", ">=", since)
        .where("principal", "=", storedName(principal));
      return (await run(used)).rows.reduce((sum, { tokens }) => sum + tokens, 0);
    },
  }),
  addTokens: defineOperation({
    async run({ build, run }, [principal, day, tokens]: readonly [string, string, number]): Promise<void> {
      const add = build
        .insertInto("usage")
        .values({ principal: storedName(principal), day, tokens })
        .onConflict((conflict) =>
          conflict
            .columns(["day", "principal"])
            .doUpdateSet(({ eb, ref }) => ({ tokens: eb("usage.tokens", "+", ref("excluded.tokens")) })),
        );
      await run(add);
    },
  }),
};
