import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import type { TestHub } from "../test-support/test-hub.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

let cli: TestIo;
let hub: TestHub;

beforeEach(async () => {
  cli = createTestIo();
  hub = await startTestHub(cli);
});
afterEach(async () => {
  await hub.close();
  cli.close();
});

/** Another command with the same state directory. */
const another = () => createTestIo({ home: cli.home });

test("each call is a line when it begins and one when it ends, until Ctrl-C", async () => {
  const page = await hub.page();
  const code = cli.run("watch");
  await cli.wrote("Watching.");
  await another().run("call", "greet", '{"name":"secret"}');
  await cli.wrote("< greet");
  await cli.interrupt();
  expect(await code).toBe(0);
  const about = `test-app, tab ${page.tabId}, by pagewire-cli`;
  const [begin, end] = cli.out().split("\n");
  expect(begin).toBe(`03:04:05 > greet ${about}`);
  expect(end?.replace(/in \d+ ms/, "in 1 ms")).toBe(`03:04:05 < greet ok in 1 ms ${about}`);
  expect(cli.out() + cli.err()).not.toContain("secret");
});

test("with --json, every event of every call is a line of JSON", async () => {
  await hub.page({
    async handle({ say, frame: { id } }) {
      say({ type: "progress", id, progress: 1, total: 2 });
      return { content: [], isError: true };
    },
  });
  const code = cli.run("watch", "--json");
  await cli.wrote("watching");
  await another().run("call", "greet");
  await cli.wrote("ended");
  await cli.interrupt();
  expect(await code).toBe(0);
  const lines = cli
    .out()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { event: string });
  expect(lines.map(({ event }) => event)).toEqual(["watching", "started", "acked", "progress", "ended"]);
  expect(lines.at(-1)).toMatchObject({ name: "greet", outcome: "tool-error", time: "2026-01-02T03:04:05.000Z" });
});

test("if there are too many events, it shows how many were left out", async () => {
  await hub.close();
  hub = await startTestHub(cli, { watchedEvents: 1 });
  await hub.page();
  const other = another();
  const codes = [cli.run("watch"), other.run("watch", "--json")];
  await Promise.all([cli.wrote("Watching."), other.wrote("watching")]);
  await another().run("call", "greet");
  await Promise.all([cli.wrote("2 events of calls are not shown"), other.wrote('"event":"missed","count":2')]);
  await cli.interrupt();
  await other.interrupt();
  expect(await Promise.all(codes)).toEqual([0, 0]);
});

test("watch waits for a hub that stops, and ends if the hub refuses it", async () => {
  const code = cli.run("watch");
  await cli.wrote("Watching.");
  cli.state.rotateAgentToken();
  await cli.wrote("Trying again in");
  expect(await code).toBe(4);
  expect(cli.err()).toContain("did not prove that it is the hub of this token");
});
