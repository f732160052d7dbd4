import { expect, test } from "vitest";
import { createHub } from "../../create-hub.ts";
import { signTerminalToken } from "../../guard/tokens.ts";
import { createMemoryStore } from "../../store/index.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { askOwn, errorOf, signIn } from "../../test-support/own.test-helper.ts";
import type { OwnAnswer } from "../../test-support/own.test-helper.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { askForCode, openView, signInView, startShellHub } from "./shell.test-helper.ts";

const secret = "a-secret-of-at-least-32-characters";
const off = "Terminals are off here. Switch them on with: npx pagewire terminal";
const evil = "https://evil.example";

/** A request of a program. */
function ask(hub: Pick<TestHub, "url">, asked: string, token: string): Promise<OwnAnswer> {
  return askOwn(hub, asked, { token, origin: undefined });
}

async function hasTerminals(hub: TestHub): Promise<unknown> {
  return (await ask(hub, "GET /api/app", hub.token)).body?.["terminals"];
}

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

test("SH4: terminals that are off are switched on with the shell key, and everything says so at once", async () => {
  let loads = 0;
  const hub = await startShellHub({ whenLoaded: async () => void loads++ });
  expect(await (await openView(hub, { code: "x" })).closed).toEqual(["terminal-unavailable", off]);
  expect(await hasTerminals(hub)).toBe(false);
  expect((await fetch(`${hub.url}/terminal`)).status).toBe(503);
  const refused = await askForCode(hub);
  expect([...errorOf(refused), JSON.stringify(refused.body)]).toEqual([
    503,
    "terminal-unavailable",
    expect.stringContaining(off),
  ]);
  expect((await ask(hub, "GET /api/shells", hub.key)).body).toEqual({ isOn: false, terminals: [] });
  expect(errorOf(await ask(hub, "DELETE /api/shells/x", hub.key))).toEqual([503, "terminal-unavailable"]);

  const both = await Promise.all([1, 2].map(() => ask(hub, "POST /api/shells", hub.key)));
  expect(both.map(({ body }) => body)).toEqual(Array(2).fill({ isOn: true, terminals: [] }));
  await ask(hub, "POST /api/shells", hub.key);
  expect([loads, await hasTerminals(hub), (await askForCode(hub)).status]).toEqual([1, true, 200]);
  expect((await openView(hub, { token: await signInView(hub) })).pass).toBeDefined();
  expect(hub.records).toContainEqual(expect.objectContaining({ event: "terminals-switched-on", level: "warn" }));
  await hub.close();
  expect(hub.closes).toBe(1);
});

test("SH4: no page, no agent and no sign-in switches terminals on, with any credential", async () => {
  let loads = 0;
  const hub = await startShellHub({ whenLoaded: async () => void loads++ });
  const app = await signIn(hub, hub.token);
  for (const token of [hub.token, app, "", "x", `${hub.key}x`, "pagewire-shell.x", "pagewire-terminal.x"])
    expect((await ask(hub, "POST /api/shells", token)).status, token).toBeGreaterThanOrEqual(401);
  for (const origin of [hub.url, shop, evil, "null"])
    expect(errorOf(await askOwn(hub, "POST /api/shells", { token: hub.key, origin }))).toEqual([
      403,
      "origin-not-allowed",
    ]);
  expect([loads, await hasTerminals(hub)]).toEqual([0, false]);
});

test("SH4: a hub in jwt mode, or with public names, cannot have them switched on", async () => {
  const load = async () => () => ({
    serve: () => {},
    list: async () => [],
    end: async () => {},
    review: () => {},
    close: async () => {},
  });
  const shell = { load, key: () => "k" };
  const agentToken = () => "t";
  await expect(createHub({ port: 0, jwt: { secret }, shell })).rejects.toMatchObject({ code: "options-invalid" });
  const named = createHub({ port: 0, agentToken, shell, publicHosts: ["hub.example.com"] });
  await expect(named).rejects.toMatchObject({ code: "address-refused" });
  for (const hub of [await startHub(), await startHub({ jwt: { secret } })])
    expect(errorOf(await ask(hub, "POST /api/shells", "k"))).toEqual([503, "terminal-unavailable"]);
});

test("why they cannot be switched on is answered, and the next try may succeed", async () => {
  let problem: Error | undefined = Object.assign(new Error("no pty"), { code: "x" });
  const hub = await startShellHub({
    async whenLoaded() {
      if (problem) throw problem;
    },
  });
  expect((await ask(hub, "POST /api/shells", hub.key)).status).toBe(500);
  expect(await hasTerminals(hub)).toBe(false);
  problem = undefined;
  expect((await ask(hub, "POST /api/shells", hub.key)).body).toEqual({ isOn: true, terminals: [] });
});

test("a hub that stops meanwhile mounts none", async () => {
  const [begun, rest] = [gate(), gate()];
  const hub = await startShellHub({
    async whenLoaded() {
      begun.open();
      await rest.opened;
    },
  });
  const asked = ask(hub, "POST /api/shells", hub.key).catch(() => undefined);
  await begun.opened;
  const closed = hub.close();
  rest.open();
  await Promise.all([asked, closed]);
  expect(hub.host).toBeUndefined();
});

test("terminals and sign-ins of an earlier run are invalid until terminals are switched on again", async () => {
  const store = { ...createMemoryStore(), close: async () => {} };
  const first = await startShellHub({ store: () => store });
  const { port } = first;
  const token = await signInView(first);
  const program = (await first.host.terminals.create("local", { name: "bash" })).token;
  await first.close();

  const hub = await startShellHub({ store: () => store, port, whenLoaded: async () => {} });
  const delegated = async () => (await ask(hub, "GET /api/browser-delegate/actions", program)).status;
  expect([(await openView(hub, { token })).pass, await delegated()]).toEqual([undefined, 401]);
  await ask(hub, "POST /api/shells", hub.key);
  expect((await openView(hub, { token })).pass).toBeDefined();
  expect(await delegated()).not.toBe(401);
});

test("terminals are listed with the tab that shows them, and ended, by the shell key alone", async () => {
  const hub = await startShellHub();
  const { tabId } = await connectPage(hub.url, { origin: hub.url });
  hub.shells["local"] = [
    { id: "a", name: "bash", createdAt: 1, program: "vim", columns: 80, rows: 24, tab: tabId, views: 1 },
    { id: "b", name: "bash 2", createdAt: 2, tab: "gone", views: 0 },
  ];
  expect((await ask(hub, "GET /api/shells", hub.key)).body).toEqual({
    isOn: true,
    terminals: [
      {
        ...{ id: "a", name: "bash", createdAt: 1, program: "vim", columns: 80, rows: 24, views: 1 },
        tab: { tabId, title: expect.any(String), url: expect.any(String) },
      },
      { id: "b", name: "bash 2", createdAt: 2, views: 0 },
    ],
  });
  for (const path of ["GET /api/shells", "DELETE /api/shells/a"]) {
    expect((await ask(hub, path, hub.token)).status).toBe(401);
    expect((await askOwn(hub, path, { token: hub.key })).status).toBe(403);
  }
  expect(errorOf(await ask(hub, "DELETE /api/shells/c", hub.key))).toEqual([404, "terminal-not-found"]);
  expect(errorOf(await ask(hub, "DELETE /api/shells/a/b", hub.key))).toEqual([404, "route-not-found"]);
  expect((await ask(hub, "DELETE /api/shells/a", hub.key)).status).toBe(204);
  expect(hub.shells["local"]?.map(({ id }) => id)).toEqual(["b"]);
});

test("in jwt mode each user lists and ends their own", async () => {
  const hub = await startShellHub({ jwt: { secret } });
  const [ann, bob] = await Promise.all(["ann", "bob"].map((subject) => signTerminalToken({ secret, subject })));
  hub.shells["ann"] = [{ id: "a", name: "bash", createdAt: 1, views: 0 }];
  expect((await ask(hub, "GET /api/shells", bob ?? "")).body).toEqual({ isOn: true, terminals: [] });
  expect(errorOf(await ask(hub, "DELETE /api/shells/a", bob ?? ""))).toEqual([404, "terminal-not-found"]);
  expect((await ask(hub, "DELETE /api/shells/a", ann ?? "")).status).toBe(204);
});
