import { expect, test, vi } from "vitest";
import { startHub } from "../test-support/hub.test-helper.ts";
import { createMemoryStore } from "../store/index.ts";
import type { Store } from "../store/index.ts";
import { startProvider } from "../team/test-support/start-provider.test-helper.ts";

test("a hub listens only when its store is open, and answers its first client", async () => {
  const { port } = await startHub().then(async (hub) => (await hub.close(), hub));
  let opened: (store: Store) => void = () => {};
  const open = vi.fn<() => Promise<Store>>(() => new Promise<Store>((resolve) => (opened = resolve)));
  const starting = startHub({ port, store: open });
  await vi.waitFor(() => expect(open).toHaveBeenCalled());
  await expect(fetch(`http://127.0.0.1:${port}/readyz`)).rejects.toThrow("fetch failed");
  opened(createMemoryStore());
  const first = vi.waitFor(() => fetch(`http://127.0.0.1:${port}/readyz`));
  expect((await first).status).toBe(200);
  await starting;
});

test("a hub that cannot listen closes the store that it opened", async () => {
  const { port } = await startHub();
  const store = createMemoryStore();
  const close = vi.spyOn(store, "close");
  await expect(startHub({ port, store: () => store })).rejects.toMatchObject({ code: "address-in-use" });
  expect(close).toHaveBeenCalledOnce();
});

test("an idle connection is kept longer than clients and proxies keep theirs, and a header has its timeout", async () => {
  const hub = await startHub();
  const keptFor = async (url: string) => {
    const { headers } = await fetch(`${url}/healthz`);
    return [headers.get("connection"), headers.get("keep-alive")];
  };
  expect(await keptFor(hub.url)).toEqual(["keep-alive", "timeout=65"]);
  const short = await startHub({ limits: { keepAliveTime: 7000 } });
  expect(await keptFor(short.url)).toEqual(["keep-alive", "timeout=7"]);
});

test("a request that comes while a hub in team mode still reads what it must know is answered, and does not hang", async () => {
  const { port } = await startHub().then(async (hub) => (await hub.close(), hub));
  const store = createMemoryStore();
  let goOn = () => {};
  const reading = new Promise<void>((resolve) => (goOn = resolve));
  const slow = {
    ...store,
    async records(...given: Parameters<typeof store.records>) {
      await reading;
      return store.records(...given);
    },
  };
  const { issuer } = await startProvider();
  const team = { secret: "s".repeat(32), providers: [{ name: "acme", issuer }] };
  const starting = startHub({ port, team, store: () => slow });
  const early = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      (response) => response.status,
      () => "away",
    );
  await expect.poll(early).toBe(503);
  goOn();
  await starting;
  expect(await early()).toBe(200);
});
