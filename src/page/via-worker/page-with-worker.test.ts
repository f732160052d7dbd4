import { expect, test } from "vitest";
import type { Link } from "../../link/index.ts";
import { createFakeBrowser } from "../test-support/fake-browser.test-helper.ts";
import { connectedPage, openPage } from "../test-support/page-under-test.test-helper.ts";
import type { Via } from "../api/page.ts";
import type { PageOptions } from "../api/page-options.ts";
import { scriptsOf } from "./worker-links.ts";
import type { WorkerCarrying, WorkerLinks } from "./worker-links.ts";

const cut = { code: 1006, reason: "cut off" };

/** A page that has a worker carry its links, to the hub of its browser. */
async function pageWithWorker(options: Partial<PageOptions>) {
  const browser = createFakeBrowser();
  const via: Via = { kind: "shared-worker" };
  const started: object[] = [];
  let leaves = 0;
  let link: Link | undefined;
  let lose = () => {};
  const startWorkerLinks = ({ hurry, ...workers }: WorkerCarrying): WorkerLinks => {
    started.push(scriptsOf(workers));
    lose = hurry;
    return {
      via,
      async openLink(url, limits) {
        link = await browser.open().environment.openLink(url, limits);
        return link;
      },
      leave() {
        leaves++;
        link?.close(cut);
      },
    };
  };
  const page = await connectedPage(options, { browser, chunks: { worker: async () => ({ startWorkerLinks }) } });
  return { page, via, started, leaves: () => leaves, lose: () => lose() };
}

test("addresses of workers are strings that say something, or false; others are refused by name", async () => {
  const wrong: [string, Partial<Record<keyof PageOptions, unknown>>][] = [
    ...["", "  ", true, 7, {}, null].map((worker): [string, object] => ['"worker"', { worker }]),
    ...["", false, 7].map((serviceWorker): [string, object] => ['"serviceWorker"', { serviceWorker }]),
  ];
  for (const [name, options] of wrong) {
    const browser = createFakeBrowser();
    expect(() => openPage(options as Partial<PageOptions>, { browser })).toThrow(name);
  }
  for (const options of [{}, { worker: false }] as const) {
    expect((await connectedPage(options)).loaded).not.toContain("worker");
  }
});

test("the address of each worker's script can be given, and auto stands for the usual two", async () => {
  const cases: [Partial<PageOptions>, object][] = [
    [{ worker: "auto" }, { sharedUrl: "/pagewire-worker.js", serviceUrl: "/pagewire-service-worker.js" }],
    [{ worker: "/own.js" }, { sharedUrl: "/own.js", serviceUrl: undefined }],
    [{ serviceWorker: "/service.js" }, { sharedUrl: undefined, serviceUrl: "/service.js" }],
    [
      { worker: false, serviceWorker: "/service.js" },
      { sharedUrl: undefined, serviceUrl: "/service.js" },
    ],
    [
      { worker: "/own.js", serviceWorker: "/service.js" },
      { sharedUrl: "/own.js", serviceUrl: "/service.js" },
    ],
  ];
  for (const [options, scripts] of cases) {
    const { started } = await pageWithWorker(options);
    expect(started).toEqual([scripts]);
  }
});

test("a page that is connected says how, also after it had to connect again", async () => {
  const { page, via } = await pageWithWorker({ worker: "auto" });
  expect(page.page.state).toMatchObject({ status: "connected", via: { kind: "shared-worker" } });
  Object.assign(via, { kind: "socket", reason: "It is gone." });
  await page.browser.hub.end.close(cut);
  await page.browser.clock.advance(500);
  await page.browser.hub.welcome();
  expect(page.page.state).toMatchObject({ status: "connected", via: { kind: "socket", reason: "It is gone." } });
});

test("a page whose worker died connects at once instead of waiting", async () => {
  const { page, lose } = await pageWithWorker({ worker: "auto" });
  await page.browser.hub.end.close(cut);
  expect(page.page.state.status).toBe("reconnecting");
  const now = page.browser.clock.now();
  lose();
  await page.browser.clock.advance(0);
  await page.browser.hub.welcome();
  expect([page.page.state.status, page.browser.clock.now()]).toEqual(["connected", now]);
});

test("a page that goes into the back/forward cache says so and leaves its worker, one that is frozen does not", async () => {
  const { page, leaves } = await pageWithWorker({ worker: "auto" });
  const { end } = page.browser.hub;
  await page.document.happen((listener) => listener.suspended("frozen"));
  await page.document.happen((listener) => listener.resumed());
  expect([leaves(), end.closing]).toEqual([0, undefined]);
  await page.document.happen((listener) => listener.suspended("back-forward-cache"));
  expect([leaves(), end.types.at(-1), end.closing]).toEqual([1, "suspended", cut]);
  page.page.close();
  page.page.close();
  await page.browser.clock.advance(0);
  expect(leaves()).toBe(2);
});
