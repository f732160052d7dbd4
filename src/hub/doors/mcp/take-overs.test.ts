// Mishaps while a session moves from one hub to another.
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../../../wire/index.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { makeFolder, openTestStore } from "../../store/test-support/store-contract.test-helper.ts";
import type { Store } from "../../store/index.ts";
import { SessionHomes } from "./session-homes.ts";
import type { Looking } from "./session-homes.ts";
import type { SessionRecord } from "./session-record.ts";

const [here, gone, other] = ["h".repeat(22), "g".repeat(22), "o".repeat(22)];
const looking: Looking = { isPassed: false, isTheirs: () => true };
const record: SessionRecord = {
  ...{ principal: "ann", credential: "c", tab: undefined, logLevel: undefined, followed: [], moves: 0 },
  words: { client: { name: "raw", version: undefined }, capabilities: {}, version: "2025-11-25" },
};

/** The homes of sessions as one hub sees them, while another hub is there. */
function homesAt(at: string, store: Store) {
  let answer = async (_value: JsonObject, _from: string): Promise<JsonObject> => ({});
  const hubOf = (name: string) => (name.startsWith(at) ? undefined : name.slice(0, 22));
  const others = {
    ...{ isUp: true, seenSince: 0, hubOf, has: (hub: string) => hub === other, isLeaving: () => false },
    isGone: async (hub: string) => hub !== other,
    answers: (_topic: string, answering: typeof answer) => void (answer = answering),
  };
  const homes = new SessionHomes({ id: at, others: others as unknown as Cluster["others"] }, store);
  return { homes, isAskedBy: (hub: string, id: string) => answer({ id }, hub) };
}

async function openStore(): Promise<Store> {
  const store = await openTestStore(join(makeFolder(), "hub.db"));
  onTestFinished(() => store.close());
  return store;
}

const keep = (homes: SessionHomes, id: string) => homes.keep(id, record, Date.now() + 60_000);

test("MH105: a request at a hub that has just given its session away goes to the hub that asked for it", async () => {
  const { homes, isAskedBy } = homesAt(here, await openStore());
  const id = `${here}.one`;
  homes.gives(async () => true);
  await keep(homes, id);
  expect(await isAskedBy(other, id)).toEqual({ isGiven: true });
  expect(await homes.find(id, looking)).toEqual({ hub: other });
});

test.each(["before", "after"])(
  "MH101: a take-over that the database cuts short %s its answer is made good by the next request",
  async (when) => {
    const store = await openStore();
    const id = `${gone}.one`;
    await keep(homesAt(gone, store).homes, id);
    let [isCut, wasCut] = [false, false];
    const cut = () => {
      isCut = false;
      throw new Error("The database is away.");
    };
    const { homes } = homesAt(here, {
      ...store,
      record: (kind, key) => (isCut ? cut() : store.record(kind, key)),
      homes: {
        ...store.homes,
        async take(...given) {
          const taker = await store.homes.take(...given);
          isCut = !wasCut;
          wasCut = true;
          return isCut && when === "before" ? cut() : taker;
        },
      },
    });
    await expect(homes.find(id, looking)).rejects.toThrow("away");
    expect(await homes.find(id, looking)).toMatchObject({ record: { principal: "ann" } });
    // Now it is in memory, and when it ends there it has ended.
    expect(await homes.find(id, looking)).toBeUndefined();
  },
);
