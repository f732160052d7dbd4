// A hub with a shop's tab, as its callers and its owner see it while its store works or fails.
import { expect, vi } from "vitest";
import type { HubProcess } from "./support/hub-process.ts";
import type { Tab } from "./support/tab.ts";
import { countsOf } from "./support/world.ts";
import type { CallByHttp } from "./support/world.ts";

export interface Shop {
  readonly hub: HubProcess;
  readonly call: CallByHttp;
  readonly tab: Tab;
}

let tags = 0;
/** Each call of a test has one of its own. */
export const newTag = () => `tag-${++tags}`;

/** What a caller with a key is told, and how long after; what a caller without one is; and what the hub says of itself. */
export async function look({ hub, call, tab }: Shop) {
  const tag = newTag();
  const begun = performance.now();
  const keyed = await call("echo", { tag }, { key: tag });
  const milliseconds = performance.now() - begun;
  const unkeyed = await call("echo", { tag: newTag() });
  const ready = await fetch(`${hub.url}/readyz?store`);
  const plain = await fetch(`${hub.url}/readyz`);
  const metrics = await fetch(`${hub.url}/metrics`, { headers: { authorization: `Bearer ${await hub.token()}` } });
  return {
    keyed: keyed.error?.code ?? keyed.outcome,
    keyedRan: keyed.ran,
    runs: (await countsOf(tab, tag)).ran,
    milliseconds,
    unkeyed: unkeyed.outcome,
    ready: [plain.status, ready.status],
    says: (await ready.text()).split("\n")[1],
    isStoreOk: /^pagewire_store_ok (\d)$/m.exec(await metrics.text())?.[1],
  };
}

/** How `look` sees a hub that can save. */
export const well = { keyed: "ok", keyedRan: "yes", runs: 1, unkeyed: "ok", ready: [200, 200], isStoreOk: "1" };
/** Whether a key was used before can be known where the database can be read: `ran` is then no. */
const failing = (says: string, keyedRan: "no" | "maybe") => ({
  ...{ keyed: "not-saved", keyedRan, runs: 0, unkeyed: "ok", ready: [200, 503], isStoreOk: "0" },
  says: `nothing can be saved: ${says}`,
});

export const isWell = (shop: Shop) => vi.waitFor(async () => expect(await look(shop)).toMatchObject(well));
export const isFailing = (shop: Shop, says: string, keyedRan: "no" | "maybe" = "no") =>
  vi.waitFor(async () => expect(await look(shop)).toMatchObject(failing(says, keyedRan)));

/** A key that is answered; gives a look at whether it still is, with the same result and no second run. */
export async function answerKey({ call, tab }: Shop) {
  const tag = newTag();
  const first = await call("echo", { tag }, { key: tag });
  expect(first).toMatchObject({ outcome: "ok", replay: false });
  return async () => {
    expect(await call("echo", { tag }, { key: tag })).toMatchObject({
      outcome: "ok",
      replay: true,
      result: first.result,
    });
    expect((await countsOf(tab, tag)).ran).toBe(1);
  };
}
