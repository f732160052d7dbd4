// A real hub in this process, announced in a test's state directory, so that commands find it as they would.
import { WebSocket } from "ws";
import { connectHub } from "../../hub-client/index.ts";
import { createHub } from "../../hub/index.ts";
import type { Hub } from "../../hub/index.ts";
import type { Limits } from "../../wire/index.ts";
import type { TestIo } from "./test-io.test-helper.ts";
import { connectTestPage } from "./test-page.test-helper.ts";
import type { TestPage, TestPageOptions } from "./test-page.test-helper.ts";

export interface TestHub {
  readonly hub: Hub;
  readonly url: string;
  /** Connects a page, and waits until agents can see its tools. */
  page(options?: Omit<TestPageOptions, "hub">): Promise<TestPage>;
  close(): Promise<void>;
}

export async function startTestHub({ state }: Pick<TestIo, "state">, limits: Partial<Limits> = {}): Promise<TestHub> {
  const { agentToken, allowedOrigins, onChange: onStateChange } = state;
  const hub = await createHub({ port: 0, demo: { port: 0 }, agentToken, allowedOrigins, onStateChange, limits });
  const { url, port } = hub;
  state.announceHub({ url, port, pid: process.pid, version: "0.0.0-test" });
  const pages: TestPage[] = [];
  return {
    hub,
    url,
    async page(options = {}) {
      const agent = { name: "test-hub" };
      const client = await connectHub({ url, token: agentToken(), agent, WebSocket });
      const page = await connectTestPage({ hub: url, ...options });
      pages.push(page);
      const isThere = async () =>
        (await client.tabs()).some(({ tabId, tools }) => tabId === page.tabId && tools.length > 0);
      await new Promise<void>((resolve, reject) => {
        const look = () => void isThere().then((there) => there && resolve(), reject);
        client.onChange(look);
        look();
      });
      client.close();
      return page;
    },
    async close() {
      for (const page of pages) page.close();
      state.close();
      await hub.close();
    },
  };
}
