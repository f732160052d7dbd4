// Several hubs with one database, and a load balancer that sends each request to the next.
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { startRequestProxy } from "../../../../../test/support/request-proxy.ts";
import { startNats } from "../../../../../test/support/start-nats.ts";
import { makeFolder, openTestStore } from "../../../store/test-support/store-contract.test-helper.ts";
import type { HubOptions } from "../../../options/options.ts";
import type { Store } from "../../../store/index.ts";
import type * as hubHelper from "../../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../../test-support/hub.test-helper.ts";

export interface McpHubs {
  readonly store: Store;
  readonly hubs: readonly [TestHub, TestHub, TestHub];
  /** All of them, at the address of the load balancer. */
  readonly front: TestHub;
}

/** `firstBus` is where the first hub reaches the bus, if not directly. */
export async function startMcpHubs(
  options: Partial<HubOptions> = {},
  firstBus: (url: string) => string = (url) => url,
): Promise<McpHubs> {
  // This function is the mocked one where the tests of one hub run against several.
  const { startHub } = await vi.importActual<typeof hubHelper>("../../../test-support/hub.test-helper.ts");
  const [nats, proxy] = await Promise.all([startNats(), startRequestProxy()]);
  onTestFinished(() => Promise.all([nats.close(), proxy.close()]).then(() => {}));
  const store = await openTestStore(join(makeFolder(), "hub.db"));
  const host = `127.0.0.1:${proxy.port}`;
  const start = (hubName: string, bus = nats.url) =>
    startHub({
      ...{
        cluster: { nats: bus, hubName },
        store: () => ({ ...store, close: async () => {} }),
        publicHosts: [host],
      },
      ...options,
    });
  const hubs = [await start("a", firstBus(nats.url)), await start("b"), await start("c")] as const;
  proxy.forward({ ports: hubs.map(({ port }) => port) });
  const [first] = hubs;
  const front: TestHub = {
    ...first,
    url: `http://${host}`,
    records: [],
    get token() {
      return first.token;
    },
    rotate: (token) => hubs.forEach((hub) => hub.rotate(token)),
    allow: (origin) => hubs.forEach((hub) => hub.allow(origin)),
    disallow: (origin) => hubs.forEach((hub) => hub.disallow(origin)),
    async metric(name, token) {
      const values = await Promise.all(hubs.map((hub) => hub.metric(name, token).catch(() => 0)));
      return values.reduce((sum, value) => sum + value, 0);
    },
    drain: () => Promise.all(hubs.map((hub) => hub.drain())).then(() => {}),
    close: () => Promise.all(hubs.map((hub) => hub.close())).then(() => {}),
  };
  return { hubs, front, store };
}
