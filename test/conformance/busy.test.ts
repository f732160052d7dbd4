// The suite against a page in the background, while another page of the same app is open and other clients call both.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startBusyClient } from "./support/busy-client.ts";
import type { BusyClient } from "./support/busy-client.ts";
import { revisions, scoredScenarios } from "./support/requirements.ts";
import type { Revision } from "./support/requirements.ts";
import { failuresOf } from "./support/run-suite.ts";
import type { SuiteRun } from "./support/run-suite.ts";
import { createStage } from "./support/stage.ts";
import type { Stage } from "./support/stage.ts";

const runs = new Map<Revision, SuiteRun>();
let stage: Stage;
let tabId: string;
let clients: readonly BusyClient[];

beforeAll(async () => {
  stage = await createStage("busy");
  const { tab, ...fixture } = await stage.openFixture();
  ({ tabId } = fixture);
  const other = await stage.openFixture();
  await tab.waitFor("document.visibilityState === 'hidden'");
  clients = await Promise.all(
    [tabId, other.tabId].flatMap((called) =>
      revisions.map((revision) => startBusyClient({ url: stage.hubUrl(called), token: stage.token, revision })),
    ),
  );
});

afterAll(async () => {
  await Promise.all(clients?.map((client) => client.stop()) ?? []);
  await stage?.close();
});

describe.each(revisions)("%s", (revision) => {
  let run: SuiteRun;

  beforeAll(async () => {
    run = await stage.runSuite(tabId, revision);
    runs.set(revision, run);
  });

  test.each(scoredScenarios(revision))("%s passes beside other pages and clients", (scenario) => {
    expect(failuresOf(run, scenario)).toEqual([]);
  });

  test("the suite itself passes beside other pages and clients", () => {
    expect(run.exitCode).toBe(0);
  });
});

test("the suite receives the logs of its own calls only", () => {
  const [check] = runs.get("2025-11-25")?.checks.get("tools-call-with-logging") ?? [];
  expect(check?.details?.["logs"]).toMatchObject([
    { data: "Tool execution started" },
    { data: "Tool processing data" },
    { data: "Tool execution completed" },
  ]);
});

test("each busy client receives all progress and logs of its own calls, in order, and no others", async () => {
  const reports = await Promise.all(clients.map((client) => client.stop()));
  expect(reports.flatMap(({ complaints }) => complaints)).toEqual([]);
  for (const { calls } of reports) expect(calls).toBeGreaterThan(3);
});
