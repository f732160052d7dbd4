import { expect, test } from "vitest";
import { createMemoryLinks } from "../../link/index.ts";
import { pageLimits } from "../../wire/index.ts";
import { carryLinks } from "./carry-links.ts";
import { createFakeBrowser } from "../test-support/fake-browser.test-helper.ts";
import type { Via } from "../api/page.ts";
import type { WorkerCarrying } from "./worker-links.ts";

const url = "ws://hub.example/page";

function carry() {
  const log: string[] = [];
  let isMissing = false;
  const via: Via = { kind: "shared-worker" };
  const { environment } = createFakeBrowser().open();
  const links = carryLinks({
    worker: "/shared.js",
    serviceWorker: undefined,
    environment: {
      ...environment,
      async openLink() {
        log.push("socket");
        return createMemoryLinks()[0];
      },
    },
    hurry: () => log.push("lost"),
    async load() {
      log.push("load");
      if (isMissing) throw new Error("404");
      return {
        startWorkerLinks({ worker }: WorkerCarrying) {
          log.push(`start ${worker}`);
          return {
            via,
            async openLink() {
              log.push("carried");
              return createMemoryLinks()[0];
            },
            leave: () => void log.push("leave"),
          };
        },
      };
    },
  });
  const open = () => links.environment.openLink(url, pageLimits);
  return { ...links, open, log, setMissing: (missing: boolean) => void (isMissing = missing) };
}

test("what it takes to use a worker is loaded once, with the first link", async () => {
  const { open, environment, log } = carry();
  expect([environment.via(), log]).toEqual([{ kind: "socket" }, []]);
  await Promise.all([open(), open()]);
  expect(log).toEqual(["load", "start /shared.js", "carried", "carried"]);
  expect(environment.via()).toEqual({ kind: "shared-worker" });
});

test("where it cannot be loaded the page has a socket of its own and says why, and loads it for the next link", async () => {
  const { open, environment, log, setMissing } = carry();
  setMissing(true);
  await open();
  expect(environment.via()).toEqual({ kind: "socket", reason: "worker: 404" });
  setMissing(false);
  await open();
  expect(log).toEqual(["load", "socket", "load", "start /shared.js", "carried"]);
  expect(environment.via()).toEqual({ kind: "shared-worker" });
});

test("who leaves while it is loaded leaves the worker at once, and who does so where it cannot be loaded nothing", async () => {
  const { open, leave, log } = carry();
  leave();
  const opening = open();
  leave();
  await opening;
  expect(log).toEqual(["load", "start /shared.js", "carried", "leave"]);
  await open();
  expect(log.slice(4)).toEqual(["carried"]);

  const missing = carry();
  missing.setMissing(true);
  const failing = missing.open();
  missing.leave();
  await failing;
  missing.leave();
  expect(missing.log).toEqual(["load", "socket"]);
});
