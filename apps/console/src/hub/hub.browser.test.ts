import type { HubClient, HubClientState } from "pagewire/hub-client";
import { PagewireError } from "pagewire/wire";
import { expect, onTestFinished, test, vi } from "vitest";
import { createHub } from "./hub.ts";

const status = { version: "1", budgets: [], tabs: 1 };
const info = {
  version: "1",
  mode: "local",
  principal: "ann",
  model: null,
  parentOrigins: [],
  demo: null,
  terminals: false,
};

function setUp({ tries = [] as readonly Error[] } = {}) {
  const failures = [...tries];
  const listeners: { change?: () => void; state?: (state: HubClientState) => void } = {};
  let tabs: readonly object[] = [{ tabId: "one", title: "One" }];
  const request = vi.fn<(method: string, path: string) => Promise<object>>(async (_, path) => {
    if (path.startsWith("/api/tabs")) return { tabs, nextCursor: null, disconnected: [] };
    return path === "/api/agents" ? { agents: [] } : status;
  });
  const client = {
    onChange: (change: () => void) => (listeners.change = change),
    onState: (state: (state: HubClientState) => void) => (listeners.state = state),
    call: async () => ({ outcome: "ok", ran: "yes" }),
    close() {},
  } as unknown as HubClient;
  const connect = vi.fn<() => Promise<HubClient>>(async () => {
    const failure = failures.shift();
    if (failure) throw failure;
    return client;
  });
  const hub = createHub({ session: { bearer: async () => "token", request, info } as never, connect });
  onTestFinished(hub.close);
  return { hub, connect, request, listeners, client, setTabs: (next: readonly object[]) => (tabs = next) };
}

test("what is listed is read at once, and again when it has changed", async () => {
  const { hub, listeners, setTabs } = setUp();
  await expect.poll(() => hub.tabs.value).toHaveLength(1);
  expect([hub.connection.value.state, hub.status.value]).toEqual(["live", status]);
  setTabs([]);
  listeners.change?.();
  await expect.poll(() => hub.tabs.value).toEqual([]);
});

test("a hub that is away is tried again, and what was listed stays", async () => {
  const { hub, connect, listeners } = setUp({ tries: [new PagewireError("hub-unreachable", "No hub answers.")] });
  expect(await hub.call({ name: "find" })).toMatchObject({ outcome: "not-delivered", ran: "no" });
  await expect.poll(() => hub.connection.value).toEqual({ state: "away", message: "No hub answers." });
  await expect.poll(() => hub.tabs.value).toHaveLength(1);
  expect(connect).toHaveBeenCalledTimes(2);
  listeners.state?.({ status: "reconnecting", message: "Lost.", code: "hub-unreachable", retryIn: 1 });
  expect([hub.connection.value.state, hub.tabs.value?.length]).toEqual(["away", 1]);
  listeners.state?.({ status: "connected", message: "There." });
  expect(hub.connection.value.state).toBe("live");
});

test("a refused credential is asked about, and a new connection is made", async () => {
  const { hub, connect, request, listeners } = setUp();
  await expect.poll(() => hub.connection.value.state).toBe("live");
  listeners.state?.({ status: "refused", message: "Expired.", code: "token-expired" });
  expect(request).toHaveBeenCalledWith("GET", "/api/app");
  await expect.poll(() => connect.mock.calls.length).toBe(2);
});

test("of two attempts at once only the later connection stays", async () => {
  const { hub, connect, client } = setUp();
  await expect.poll(() => hub.connection.value.state).toBe("live");
  const opened: ((made: HubClient) => void)[] = [];
  connect.mockImplementation(() => new Promise((resolve) => opened.push(resolve)));
  hub.reconnect();
  hub.reconnect();
  const closed: string[] = [];
  opened[1]?.({ ...client, close: () => closed.push("later") } as unknown as HubClient);
  opened[0]?.({ ...client, close: () => closed.push("earlier") } as unknown as HubClient);
  await expect.poll(() => closed).toEqual(["earlier"]);
});
