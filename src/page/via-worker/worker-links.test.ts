import { expect, test } from "vitest";
import { recordLink } from "../../testing/index.ts";
import type { LinkRecord } from "../../testing/index.ts";
import { cutOff, pageLimits } from "../../wire/index.ts";
import { createFakeWorkers } from "../test-support/fake-worker.test-helper.ts";
import type { FakeWorkers } from "../test-support/fake-worker.test-helper.ts";
import { createWorkerLinks } from "./worker-links.ts";

const url = "ws://hub.example/page";
const both = { sharedUrl: "/shared.js", serviceUrl: "/service.js" };

function openLinks(workers: FakeWorkers, scripts: Partial<typeof both> = both) {
  /** For each lost worker that was reported to the page, how many of the page's links had ended by then. */
  const losses: number[] = [];
  let last: LinkRecord | undefined;
  const links = createWorkerLinks(
    {
      scripts: { sharedUrl: undefined, serviceUrl: undefined, ...scripts },
      hurry: () => losses.push(last?.closings.length ?? 0),
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

test("links are carried by a SharedWorker where there is one, and no ServiceWorker is asked", async () => {
  const workers = createFakeWorkers();
  const { links, open } = openLinks(workers);
  await open();
  await open();
  expect([links.via, workers.sockets]).toEqual([{ kind: "shared-worker" }, []]);
  expect(workers.workers.map(({ kind, url: script }) => [kind, script])).toEqual([["shared-worker", "/shared.js"]]);
});

test("without a SharedWorker links are carried by the ServiceWorker, and the reason is told", async () => {
  const workers = createFakeWorkers();
  workers.manners["shared-worker"] = "missing";
  const { links, open } = openLinks(workers);
  await open();
  expect(links.via).toEqual({ kind: "service-worker", reason: "shared-worker: There is no shared-worker." });
  expect([workers.worker.kind, workers.worker.url]).toEqual(["service-worker", "/service.js"]);
});

test("a ServiceWorker alone can be asked for", async () => {
  const workers = createFakeWorkers();
  const { links, open } = openLinks(workers, { serviceUrl: "/service.js" });
  await open();
  expect([links.via, workers.workers.length]).toEqual([{ kind: "service-worker" }, 1]);
});

test("where no worker can be had the page has sockets of its own, tells why, and does not ask again", async () => {
  const workers = createFakeWorkers();
  Object.assign(workers.manners, { "shared-worker": "refuses", "service-worker": "missing" });
  const { links, open } = openLinks(workers);
  await open();
  await open();
  expect(links.via).toEqual({
    kind: "socket",
    reason:
      "shared-worker: The worker speaks versions 7, 8 and this page 1. Serve the worker's file and the page's script from the same version of Pagewire. service-worker: There is no service-worker.",
  });
  expect([workers.sockets, workers.workers.length]).toEqual([[url, url], 1]);
});

test("a page without Web Locks asks for no worker", async () => {
  const workers = createFakeWorkers({ hasLocks: false });
  const { links, open } = openLinks(workers);
  await open();
  expect(links.via.kind).toBe("socket");
  expect(links.via.reason).toContain("Only secure pages have Web Locks");
  expect([workers.sockets, workers.workers]).toEqual([[url], []]);
});

const cannot = "No hub answers at ws://hub.example/page: the connection failed.";

test("where the worker cannot open a socket the page has one of its own and says why; its next link is the worker's", async () => {
  const workers = createFakeWorkers();
  const { links, open } = openLinks(workers);
  const opening = links.openLink(url, pageLimits);
  await workers.clock.advance(0);
  await workers.worker.say({ type: "failed", id: "id-2", message: cannot });
  await workers.clock.advance(0);
  await workers.worker.say({ type: "failed", id: "id-3", message: cannot });
  await opening;
  expect(workers.sockets).toEqual([url]);
  expect(links.via).toEqual({
    kind: "socket",
    reason: `shared-worker: ${cannot} But the page could open a socket: look at the Content-Security-Policy that the worker's script is served with.`,
  });
  await open();
  expect([links.via, workers.sockets, workers.workers.length]).toEqual([{ kind: "shared-worker" }, [url], 1]);
});

test("a hub that was away for a moment only is reached through the worker after all", async () => {
  const workers = createFakeWorkers();
  const { links } = openLinks(workers);
  const opening = links.openLink(url, pageLimits);
  await workers.clock.advance(0);
  await workers.worker.say({ type: "failed", id: "id-2", message: cannot });
  await workers.clock.advance(0);
  await workers.worker.say({ type: "carried", id: "id-3" });
  const link = await opening;
  expect([link.open, links.via, workers.sockets]).toEqual([true, { kind: "shared-worker" }, [url]]);
  expect(workers.ownLinks.map(({ open }) => open)).toEqual([false]);
});

test("a worker that ends ends no socket of the page's own", async () => {
  const workers = createFakeWorkers();
  const { links } = openLinks(workers);
  const opening = links.openLink(url, pageLimits);
  await workers.clock.advance(0);
  await workers.worker.say({ type: "failed", id: "id-2", message: cannot });
  await workers.worker.die();
  expect((await opening).open).toBe(true);
});

test("where neither the worker nor the page reaches the hub, a link fails as it does without a worker", async () => {
  const workers = createFakeWorkers();
  workers.isOffline = true;
  const { links, open } = openLinks(workers);
  const failing = expect(links.openLink(url, pageLimits)).rejects.toThrow("there was no answer");
  await workers.clock.advance(0);
  await workers.worker.say({ type: "failed", id: "id-2", message: cannot });
  await failing;
  await open();
  expect([workers.workers.length, links.via]).toEqual([1, { kind: "shared-worker" }]);
});

test("a worker that does not answer in time whether it carries a link is told to let go of it", async () => {
  const workers = createFakeWorkers();
  const { links, open } = openLinks(workers);
  const opening = links.openLink(url, pageLimits);
  await workers.clock.advance(14_999);
  expect(workers.sockets).toEqual([]);
  await workers.clock.advance(1);
  await workers.clock.advance(2000);
  expect((await opening).open).toBe(true);
  expect(await workers.worker.links[0]?.record.closed).toEqual(cutOff);
  expect(links.via.reason).toContain("The worker did not answer within 15 seconds.");
  await open();
  expect(links.via).toEqual({ kind: "shared-worker" });
});

test("a page hears that the worker reached the hub again, and need not wait any longer", async () => {
  const workers = createFakeWorkers();
  const { open, losses } = openLinks(workers);
  const record = await open();
  await workers.worker.say({ type: "reached", url });
  expect([losses, record.closings]).toEqual([[0], []]);
});

test("a dead worker ends its link; then the page is told that another can be had at once, and has one", async () => {
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

test("workers that die one right after the other are not found again at once", async () => {
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

test("a worker that hangs ends its link, and the next link has another worker", async () => {
  const workers = createFakeWorkers();
  const { open, losses } = openLinks(workers);
  const record = await open();
  workers.worker.isHanging = true;
  await workers.clock.advance(7500);
  expect([record.closings, losses]).toEqual([[cutOff], [1]]);
  await open();
  expect(workers.worker.name).toBe("pagewire-1-1");
});

test("who leaves ends the link, lets go of the worker, and finds it again for the next one", async () => {
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

test("who leaves while the worker is looked for lets go of it as soon as it is found", async () => {
  const workers = createFakeWorkers();
  const { links } = openLinks(workers);
  const opening = expect(links.openLink(url, pageLimits)).rejects.toMatchObject({ code: "tab-suspended" });
  links.leave();
  await workers.clock.advance(0);
  await opening;
  expect([workers.worker.isLeft, workers.held()]).toEqual([true, ["pagewire-worker:1"]]);
  expect([workers.workers.length, workers.sockets]).toEqual([1, []]);
});

test("a worker that dies while it opens a link is replaced without waiting, and the next one opens it", async () => {
  const workers = createFakeWorkers();
  const { links } = openLinks(workers);
  const opening = links.openLink(url, pageLimits);
  await workers.clock.advance(0);
  await workers.worker.die();
  const carry = workers.worker.heard.at(-1);
  if (carry?.type === "carry") await workers.worker.say({ type: "carried", id: carry.id });
  expect((await opening).open).toBe(true);
  expect([workers.workers.length, workers.sockets, links.via]).toEqual([2, [], { kind: "shared-worker" }]);
});

test("where that one dies, too, the page has a socket of its own", async () => {
  const workers = createFakeWorkers();
  const { links } = openLinks(workers);
  const opening = links.openLink(url, pageLimits);
  await workers.clock.advance(0);
  await workers.worker.die();
  await workers.worker.die();
  expect((await opening).open).toBe(true);
  expect([workers.workers.length, workers.sockets]).toEqual([2, [url]]);
  expect(links.via.reason).toContain("The worker ended.");
});

test("a link that another one took the place of before it was open is let go of, and the other ends with the worker", async () => {
  const workers = createFakeWorkers();
  const { links } = openLinks(workers);
  const first = links.openLink(url, pageLimits);
  const second = links.openLink(url, pageLimits);
  const superseded = expect(first).rejects.toMatchObject({ code: "tab-suspended" });
  await workers.clock.advance(0);
  await workers.worker.say({ type: "carried", id: "id-3" });
  await workers.worker.say({ type: "carried", id: "id-2" });
  await superseded;
  const record = recordLink(await second);
  await workers.worker.die();
  expect([record.closings, workers.workers.length]).toEqual([[cutOff], 1]);
});

test("a ServiceWorker that hangs is given up for good: there is no other, and the page does without at once", async () => {
  const workers = createFakeWorkers();
  workers.manners["shared-worker"] = "missing";
  const { links, open, losses } = openLinks(workers);
  await open();
  workers.worker.isHanging = true;
  workers.manners["service-worker"] = "silent";
  await workers.clock.advance(7500);
  expect(losses).toEqual([1]);
  await links.openLink(url, pageLimits);
  expect([workers.clock.now(), workers.workers.length, workers.sockets]).toEqual([7500, 1, [url]]);
  expect(links.via.reason).toContain("service-worker: The one at /service.js hangs.");
});

test("a ServiceWorker that does not say hello is waited for once", async () => {
  const workers = createFakeWorkers();
  workers.manners["service-worker"] = "silent";
  const { links } = openLinks(workers, { serviceUrl: "/service.js" });
  const opening = links.openLink(url, pageLimits);
  await workers.clock.advance(5000);
  await opening;
  expect([workers.workers.length, workers.sockets, workers.givenUp.count]).toEqual([1, [url], 0]);
});
