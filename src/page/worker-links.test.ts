import { expect, test } from "vitest";
import { recordLink } from "../testing/index.ts";
import type { LinkRecord } from "../testing/index.ts";
import { cutOff, pageLimits } from "../wire/index.ts";
import { createFakeWorkers } from "./fake-worker.test-helper.ts";
import type { FakeWorkers } from "./fake-worker.test-helper.ts";
import { createWorkerLinks } from "./worker-links.ts";

const url = "ws://hub.example/page";
const both = { sharedUrl: "/shared.js", serviceUrl: "/service.js" };

function openLinks(workers: FakeWorkers, scripts: Partial<typeof both> = both) {
  /** For each time that the page was told of a lost worker, how often its last link had ended by then. */
  const losses: number[] = [];
  let last: LinkRecord | undefined;
  const links = createWorkerLinks(
    {
      scripts: { sharedUrl: undefined, serviceUrl: undefined, ...scripts },
      onLost: () => losses.push(last?.closings.length ?? 0),
    },
    workers.powers,
  );
  /** Opens a link and has the worker carry it. */
  async function open() {
    const opening = links.openLink(url, pageLimits);
    await workers.clock.advance(0);
    const carry = workers.workers.at(-1)?.heard.at(-1);
    if (carry?.type === "carry") await workers.worker.say({ type: "carried", id: carry.id });
    last = recordLink(await opening);
    return last;
  }
  return { links, open, losses };
}

test("WK1: links are carried by a SharedWorker where there is one, and no ServiceWorker is asked", async () => {
  const workers = createFakeWorkers();
  const { links, open } = openLinks(workers);
  await open();
  await open();
  expect([links.via, workers.sockets]).toEqual([{ kind: "shared-worker" }, []]);
  expect(workers.workers.map(({ kind, url: script }) => [kind, script])).toEqual([["shared-worker", "/shared.js"]]);
});

test("WK5: without a SharedWorker links are carried by the ServiceWorker, and the reason is told", async () => {
  const workers = createFakeWorkers();
  workers.manners["shared-worker"] = "missing";
  const { links, open } = openLinks(workers);
  await open();
  expect(links.via).toEqual({ kind: "service-worker", reason: "shared-worker: There is no shared-worker." });
  expect([workers.worker.kind, workers.worker.url]).toEqual(["service-worker", "/service.js"]);
});

test("WK5: a ServiceWorker alone can be asked for", async () => {
  const workers = createFakeWorkers();
  const { links, open } = openLinks(workers, { serviceUrl: "/service.js" });
  await open();
  expect([links.via, workers.workers.length]).toEqual([{ kind: "service-worker" }, 1]);
});

test("WK2: where no worker can be had the page has sockets of its own, tells why, and does not ask again", async () => {
  const workers = createFakeWorkers();
  Object.assign(workers.manners, { "shared-worker": "refuses", "service-worker": "missing" });
  const { links, open } = openLinks(workers);
  await open();
  await open();
  expect(links.via).toEqual({
    kind: "socket",
    reason:
      "shared-worker: The worker speaks versions 7, 8 and this page 1. service-worker: There is no service-worker.",
  });
  expect([workers.sockets, workers.workers.length]).toEqual([[url, url], 1]);
});

test("WK2: a page without Web Locks asks for no worker", async () => {
  const workers = createFakeWorkers({ hasLocks: false });
  const { links, open } = openLinks(workers);
  await open();
  expect(links.via.kind).toBe("socket");
  expect(links.via.reason).toContain("Only secure pages have Web Locks");
  expect([workers.sockets, workers.workers]).toEqual([[url], []]);
});

test("WK1: links that are opened at once look for the worker once", async () => {
  const workers = createFakeWorkers();
  const { links } = openLinks(workers);
  const opening = [links.openLink(url, pageLimits), links.openLink(url, pageLimits)];
  await workers.clock.advance(0);
  for (const message of workers.worker.heard) {
    if (message.type === "carry") await workers.worker.say({ type: "carried", id: message.id });
  }
  await Promise.all(opening);
  expect(workers.workers).toHaveLength(1);
});

test("WK18: a link that the worker cannot carry fails with its reason, and the worker is asked for the next one", async () => {
  const workers = createFakeWorkers();
  const { links, open } = openLinks(workers);
  const failing = links.openLink(url, pageLimits);
  await workers.clock.advance(0);
  const failed = expect(failing).rejects.toThrow("No hub answers.");
  await workers.worker.say({ type: "failed", id: "id-2", message: "No hub answers." });
  await failed;
  await open();
  expect([workers.workers.length, workers.sockets]).toEqual([1, []]);
});

test("WK10: a dead worker ends its link; then the page is told that another can be had at once, and has one", async () => {
  const workers = createFakeWorkers();
  const { open, links, losses } = openLinks(workers);
  const record = await open();
  await workers.worker.die();
  expect(record.closings).toEqual([cutOff]);
  expect(losses).toEqual([1]);
  await open();
  expect([workers.workers.length, links.via]).toEqual([2, { kind: "shared-worker" }]);
  expect(workers.clock.now()).toBe(0);
});

test("WK10: workers that die one right after the other are not found again at once", async () => {
  const workers = createFakeWorkers();
  const { open, losses } = openLinks(workers);
  for (const [pause, told] of [
    [0, 1],
    [1000, 1],
    [1001, 2],
  ] as const) {
    await open();
    await workers.clock.advance(pause);
    await workers.worker.die();
    expect(losses).toHaveLength(told);
  }
});

test("WK12: a worker that hangs ends its link, and the next link has another worker", async () => {
  const workers = createFakeWorkers();
  const { open, losses } = openLinks(workers);
  const record = await open();
  workers.worker.isHanging = true;
  await workers.clock.advance(7500);
  expect([record.closings, losses]).toEqual([[cutOff], [1]]);
  await open();
  expect(workers.worker.name).toBe("pagewire-1-1");
});

test("WK14: who leaves ends the link, lets go of the worker, and finds it again for the next one", async () => {
  const workers = createFakeWorkers();
  const { open, links, losses } = openLinks(workers);
  const record = await open();
  links.leave();
  links.leave();
  await workers.clock.advance(0);
  expect([record.closings, workers.worker.isLeft, losses]).toEqual([[cutOff], true, []]);
  expect(workers.held()).toEqual(["pagewire-worker:1"]);
  await open();
  expect(workers.workers).toHaveLength(2);
});

test("WK14: who leaves while the worker is looked for lets go of it as soon as it is found", async () => {
  const workers = createFakeWorkers();
  const { links } = openLinks(workers);
  const opening = expect(links.openLink(url, pageLimits)).rejects.toThrow("The worker ended.");
  links.leave();
  await workers.clock.advance(0);
  await opening;
  expect([workers.worker.isLeft, workers.held()]).toEqual([true, ["pagewire-worker:1"]]);
});
