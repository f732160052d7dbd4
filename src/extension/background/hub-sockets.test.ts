import { expect, test } from "vitest";
import { createMemoryLinks } from "../../link/index.ts";
import { createFakeExtension } from "../fake-extension-api.test-helper.ts";
import { shownHub } from "../messages.ts";
import { createHubSockets } from "./hub-sockets.ts";
import { createStored } from "./stored.ts";

/** A socket to a hub that does not run. */
class Failing {
  readonly bufferedAmount = 0;
  addEventListener(type: string, listener: (event: object) => void): void {
    if (type === "error" || type === "close") queueMicrotask(() => listener({ code: 1006, reason: "" }));
  }
  send(): void {}
  close(): void {}
}

test.each([
  ["http://127.0.0.1:7337", "npx pagewire"],
  ["http://localhost:7337", "npx pagewire"],
  ["https://hub.example.com", undefined],
])("a hub at %s that is away is the person's to start only where it is on this computer", async (address, command) => {
  const { api } = createFakeExtension();
  const sockets = createHubSockets({ WebSocket: Failing as never, session: createStored(api.storage.session) });
  const [link] = createMemoryLinks();
  const hub = { address, token: "t", browser: "Chrome" };
  const page = { origin: "https://shop.example", app: "shop", tab: "1" };
  await expect(sockets.carry(hub, link, page)).rejects.toThrow();
  const shown = async () => (await api.storage.session.get(shownHub))[shownHub];
  await expect.poll(shown).toMatchObject({ status: "away" });
  expect(((await shown()) as { readonly command?: string }).command).toBe(command);
});
