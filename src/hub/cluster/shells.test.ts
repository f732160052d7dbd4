import { expect, onTestFinished, test } from "vitest";
import { startNats } from "../../../test/support/start-nats.ts";
import { newDatabase } from "../../../test/support/start-postgres.ts";
import { openStore } from "../store/index.ts";
import { openSocket } from "../test-support/peer.test-helper.ts";
import { askOwn, errorOf } from "../test-support/own.test-helper.ts";
import { textOf } from "../../wire/index.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { mintShellCode, startShellHub } from "../doors/shell/shell.test-helper.ts";
import type { ShellHub } from "../doors/shell/shell.test-helper.ts";

const app = "https://app.example";

async function startShellHubs() {
  const nats = await startNats();
  onTestFinished(() => nats.close());
  const database = await newDatabase();
  const shared = { store: () => openStore({ database }), allowedOrigins: () => [app], ai: "none" as const };
  const options = (hubName: string) => ({ cluster: { nats: nats.url, hubName }, ...shared });
  const a = await startShellHub(options("a"));
  const b = await startShellHub(options("b"));
  const c = await startHub(options("c"));
  b.shells["local"] = [{ id: "t1", name: "work", createdAt: 1, views: 0 }];
  return { a, b, c };
}

const listOf = async (hub: ShellHub) =>
  (await askOwn(hub, "GET /api/shells", { token: hub.key, origin: undefined })).body?.["terminals"];

test("MH125: terminals are listed by every hub with the hub of their shell, and are ended at any", async () => {
  const { a, b } = await startShellHubs();
  for (const hub of [a, b]) await expect.poll(() => listOf(hub)).toMatchObject([{ id: "t1", hub: "b" }]);
  const end = (hub: ShellHub, id: string) =>
    askOwn(hub, `DELETE /api/shells/${id}`, { token: hub.key, origin: undefined });
  expect(errorOf(await end(a, "other"))).toEqual([404, "terminal-not-found"]);
  expect((await end(a, "t1")).status).toBe(204);
  for (const hub of [a, b]) expect(await listOf(hub)).toEqual([]);
});

test("MH125: a view is served by the hub of its terminal's shell, and one without a terminal by a hub that has terminals", async () => {
  const { a, b, c } = await startShellHubs();
  const view = async (url: string, query = "") => {
    const code = await mintShellCode(b, b.key, app);
    const { link } = await openSocket(`${url}/ws/terminal${query}`, { headers: { Origin: app } });
    return new Promise<unknown>((resolve) => {
      link.start({
        message: (message) => resolve(JSON.parse(textOf(message))),
        closed: ({ reason }) => resolve(reason),
      });
      link.send(JSON.stringify({ code }));
    });
  };
  const signIns = { a: 0, b: 0 };
  for (const [name, hub] of [
    ["a", a],
    ["b", b],
  ] as const) {
    const { signIn } = hub.host;
    Object.assign(hub.host, { signIn: (...proof: Parameters<typeof signIn>) => (signIns[name]++, signIn(...proof)) });
  }
  await expect.poll(() => listOf(a)).toHaveLength(1);
  expect(await view(a.url, "?terminal=t1")).toMatchObject({ admitted: { principal: "local" } });
  expect(signIns).toEqual({ a: 0, b: 1 });
  expect(await view(a.url, "?terminal=gone")).toMatchObject({ admitted: { principal: "local" } });
  expect(signIns).toEqual({ a: 1, b: 1 });
  expect(await view(c.url)).toMatchObject({ admitted: { principal: "local" } });
});

test("MH125: a view that is refused where it comes to is not passed on", async () => {
  const { a, b } = await startShellHubs();
  await expect.poll(() => listOf(a)).toHaveLength(1);
  const { link } = await openSocket(`${a.url}/ws/terminal?terminal=t1`, {
    headers: { Origin: "https://else.example" },
  });
  await new Promise<void>((resolve) => link.start({ message: () => {}, closed: () => resolve() }));
  const refusals = [a, b].map((hub) => hub.metric('pagewire_refusals_total{code="origin-not-allowed"}').catch(() => 0));
  expect(await Promise.all(refusals)).toEqual([1, 0]);
});
