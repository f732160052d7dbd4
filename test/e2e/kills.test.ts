// Short runs of `npm run chaos -- --kills`, over both databases.
import { expect, test } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import { runKills } from "../chaos/kills/run-kills.ts";
import { databaseKinds } from "../chaos/world/chaos-database.ts";

test.each(databaseKinds)(
  "after each of four kills under load a hub over %s knows all that it acknowledged",
  async (database) => {
    const { kills, acknowledged, keyedCalls, ...problems } = await runKills({ seed: "1", kills: 4, database });
    expect(problems).toMatchObject({ doubles: [], lost: [], lies: [], others: [] });
    const { questions, answers, decisions } = acknowledged;
    recordFault("kills", {
      fault: `kill -9 of a hub over ${database} at random moments, under calls with keys, conversations and consents`,
      count: kills,
      expected: "doubles 0, lost 0, lies 0",
      observed: `doubles 0, lost 0, lies 0 of ${keyedCalls} keys, ${questions} questions, ${answers} answers, ${decisions} decisions`,
    });
  },
  900_000,
);
