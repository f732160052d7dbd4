// The suite against three hubs behind a load balancer that sends each request to the next. The page is at one of them.
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startHub } from "../e2e/support/hub-process.ts";
import { startNats } from "../support/start-nats.ts";
import { startPostgres } from "../support/start-postgres.ts";
import { revisions, scoredScenarios } from "./support/requirements.ts";
import { failuresOf } from "./support/run-suite.ts";
import type { SuiteRun } from "./support/run-suite.ts";
import { createStageOf } from "./support/stage.ts";
import type { Stage } from "./support/stage.ts";

let stage: Stage;
let tabId: string;

beforeAll(async () => {
  stage = await createStageOf("hubs", startThree);
  ({ tabId } = await stage.openFixture());
}, 120_000);

afterAll(() => stage?.close());

describe.each(revisions)("%s", (revision) => {
  let run: SuiteRun;

  beforeAll(async () => {
    run = await stage.runSuite(tabId, revision);
  });

  test.each(scoredScenarios(revision))("%s passes with three hubs", (scenario) => {
    expect(failuresOf(run, scenario)).toEqual([]);
  });

  test("the suite itself passes with three hubs", () => {
    expect(run.exitCode).toBe(0);
  });
});

async function startThree(given: readonly string[]) {
  const [nats, postgres] = await Promise.all([startNats(), startPostgres()]);
  const args = [...given, "--no-demo", "--nats", nats.url, "--database", await postgres.newDatabase()];
  const first = await startHub({ args });
  const homes = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), "pagewire-home-"))));
  const others = await Promise.all(
    homes.map(async (home) => {
      // Agents have one token for all hubs.
      await copyFile(join(first.home, "token"), join(home, "token"));
      return startHub({ args, home });
    }),
  );
  const hubs = [first, ...others];
  return {
    hubs,
    async close() {
      await Promise.all(hubs.map((hub) => hub.close()));
      await Promise.all([nats.close(), postgres.close(), ...homes.map((home) => rm(home, { recursive: true }))]);
    },
  };
}
