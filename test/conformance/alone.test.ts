// The suite against one page, with nothing else going on.
import { once } from "node:events";
import { request as requestOf } from "node:http";
import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { revisions, scoredScenarios } from "./support/requirements.ts";
import { failuresOf } from "./support/run-suite.ts";
import type { SuiteRun } from "./support/run-suite.ts";
import { createStage } from "./support/stage.ts";
import type { Stage } from "./support/stage.ts";

let stage: Stage;
let tabId: string;

beforeAll(async () => {
  stage = await createStage("alone");
  ({ tabId } = await stage.openFixture());
});

afterAll(() => stage?.close());

describe.each(revisions)("%s", (revision) => {
  let run: SuiteRun;

  beforeAll(async () => {
    run = await stage.runSuite(tabId, revision);
  });

  test.each(scoredScenarios(revision))("%s passes with one page", (scenario) => {
    expect(failuresOf(run, scenario)).toEqual([]);
  });

  test("the suite itself passes with one page", () => {
    expect(run.exitCode).toBe(0);
  });
});

test("without a token the hub answers nothing, and it refuses a strange Host by itself, also with one", async () => {
  const bare = await fetch(stage.hubUrl(tabId), { method: "POST" });
  expect(bare.status).toBe(401);

  const request = requestOf(stage.proxyUrl(tabId), { method: "POST", headers: { host: "evil.example.com" } }).end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(421);
  expect(String(Buffer.concat(await response.toArray()))).toContain("host-refused");
});
