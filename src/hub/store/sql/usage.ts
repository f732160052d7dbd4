import { defineOperation } from "./session.ts";
import { storedName } from "./stored-name.ts";

export const usageOperations = {
  tokens: defineOperation({
    isReading: true,
    async run({ build, run }, [principal, day]: readonly [string, string]): Promise<number> {
      const used = build
        .selectFrom("usage")
        .select("tokens")
        .where("day", "=", day)
        .where("principal", "=", storedName(principal));
      return (await run(used)).rows[0]?.tokens ?? 0;
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
