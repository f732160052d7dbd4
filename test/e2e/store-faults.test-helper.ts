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
/** A new tag for each call of a test. */
export const newTag = () => `tag-${++tags}`;

/** The outcome of a call with a key and its duration, the outcome of one without a key, and the hub's own health report. */
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

/** The result of `look` at a hub that can save. */
export const well = { keyed: "ok", keyedRan: "yes", runs: 1, unkeyed: "ok", ready: [200, 200], isStoreOk: "1" };
/** `ran` is "no" where the database can still be read: then the hub knows whether a key was used before. */
const failing = (says: string, keyedRan: "no" | "maybe") => ({
  ...{ keyed: "not-saved", keyedRan, runs: 0, unkeyed: "ok", ready: [200, 503], isStoreOk: "0" },
  says: `nothing can be saved: ${says}`,
});

export const isWell = (shop: Shop) => vi.waitFor(async () => expect(await look(shop)).toMatchObject(well));
export const isFailing = (shop: Shop, says: string, keyedRan: "no" | "maybe" = "no") =>
  vi.waitFor(async () => expect(await look(shop)).toMatchObject(failing(says, keyedRan)));

/** Calls with a key; returns a check that the key still answers with the same result, without a second run. */
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
