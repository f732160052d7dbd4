import { expect, test } from "vitest";
import type { Link } from "../../link/index.ts";
import { linkContract, recordLink } from "../../testing/index.ts";
import { cutOff } from "../../wire/index.ts";
import { createPageLinks, createWorkerLinks } from "./port-links.ts";
import type { LinkFromPage, LinkToPage } from "./port-links.ts";
import type { RuntimePort } from "../browser-api.ts";
import { createFakeExtension } from "../fake-extension-api.test-helper.ts";

/** Both ends of a port. */
async function connect(): Promise<readonly [RuntimePort, RuntimePort]> {
  const { api, contentApi } = createFakeExtension();
  const arrived = new Promise<RuntimePort>((resolve) => api.runtime.onConnect.addListener(resolve));
  return [contentApi({}).connect({ name: "page" }), await arrived];
}

async function createEnds({ onLink = async () => {} }: { readonly onLink?: (link: Link) => Promise<void> } = {}) {
  const [near, far] = await connect();
  const taken: Link[] = [];
  const page = createPageLinks((message) => near.postMessage(message));
  const worker = createWorkerLinks({
    post: (message) => far.postMessage(message),
    async onLink(link) {
      await onLink(link);
      taken.push(link);
    },
  });
  near.onMessage.addListener((message) => page.take(message as LinkToPage));
  far.onMessage.addListener((message) => worker.take(message as LinkFromPage));
  return { page, worker, taken };
}

async function makePair() {
  const { page, taken } = await createEnds();
  const left = await page.open();
  return { left, right: taken[0] as Link };
}

linkContract("a page's end of a runtime port", makePair, { bytes: false });
linkContract(
  "the worker's end of a runtime port",
  async () => {
    const { left, right } = await makePair();
    return { left: right, right: left };
  },
  { bytes: false },
);

test("a link that the worker cannot connect is refused with the reason, and the next one opens", async () => {
  let isAway = true;
  const { page } = await createEnds({
    async onLink() {
      if (isAway) throw new Error("no hub answers");
    },
  });
  await expect(page.open()).rejects.toThrow("no hub answers");
  isAway = false;
  expect((await page.open()).open).toBe(true);
});

test("links end as cut off, and those that open are refused, when the port is gone", async () => {
  const { page, worker, taken } = await createEnds();
  const [atPage, atWorker] = [recordLink(await page.open()), recordLink(taken[0] as Link)];
  const opening = page.open();
  page.end();
  worker.end();
  await expect(opening).rejects.toThrow("stopped");
  expect(await atPage.closed).toEqual(cutOff);
  expect(await atWorker.closed).toEqual(cutOff);
});

test("a port that is disconnected already refuses a link at once", async () => {
  const page = createPageLinks(() => {
    throw new Error("Attempting to use a disconnected port object");
  });
  await expect(page.open()).rejects.toThrow("disconnected");
});

test("the worker refuses a number that was used before, and more links than a page needs", async () => {
  const { page, worker, taken } = await createEnds();
  await page.open();
  worker.take({ type: "open", link: 1 });
  await Promise.resolve();
  expect(taken.length).toBe(1);
  const opened = await Promise.allSettled(Array.from({ length: 20 }, () => page.open()));
  expect(opened.filter(({ status }) => status === "fulfilled").length).toBe(7);
});
