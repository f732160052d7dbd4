// The suite against a page that was reloaded after its tab's address was handed out.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { revisions, scoredScenarios } from "./support/requirements.ts";
import { failuresOf } from "./support/run-suite.ts";
import type { SuiteRun } from "./support/run-suite.ts";
import { connected, createStage } from "./support/stage.ts";
import type { Stage } from "./support/stage.ts";

let stage: Stage;
let tabId: string;

beforeAll(async () => {
  stage = await createStage("reloaded");
  const fixture = await stage.openFixture();
  ({ tabId } = fixture);
  await fixture.tab.reload();
  await connected(fixture.tab);
});

afterAll(() => stage?.close());

describe.each(revisions)("%s", (revision) => {
  let run: SuiteRun;

  beforeAll(async () => {
    run = await stage.runSuite(tabId, revision);
  });

  test.each(scoredScenarios(revision))("%s passes after a reload", (scenario) => {
    expect(failuresOf(run, scenario)).toEqual([]);
  });

  test("the suite itself passes after a reload", () => {
    expect(run.exitCode).toBe(0);
  });
});
