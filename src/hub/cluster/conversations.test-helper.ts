// Hubs with one database and a scripted model, over real NATS and PostgreSQL servers.
import { onTestFinished } from "vitest";
import { newDatabase } from "../../../test/support/start-postgres.ts";
import type { AiMessage, AiTool } from "../../ai/index.ts";
import { startCore } from "../doors/core/core.test-helper.ts";
import type { CoreClient, CoreClientOptions } from "../doors/core/core.test-helper.ts";
import type { TestModel } from "../doors/core/model.test-helper.ts";
import type { HubOptions } from "../options/options.ts";
import { openStore } from "../store/index.ts";
import type { Store } from "../store/index.ts";
import { startHubs } from "./hubs.test-helper.ts";
import type { TestHubs } from "./hubs.test-helper.ts";

export interface TalkingHubs extends TestHubs {
  /** The database, as another program sees it. */
  readonly store: Store;
}

export async function startTalkingHubs(
  model: TestModel,
  { tools = [], ...options }: Partial<HubOptions> & { readonly tools?: readonly AiTool[] } = {},
): Promise<TalkingHubs> {
  const database = await newDatabase();
  const ai = { provider: "openai", model: "gpt-a", apiKey: "sk-server", fetch: model.fetch, tools } as const;
  const hubs = await startHubs({ ai, store: () => openStore({ database }), ...options });
  const store = await openStore({ database });
  onTestFinished(() => store.close());
  return { ...hubs, store };
}

/** A program in a conversation, at one hub. */
export function talkAt(hub: { readonly url: string; readonly token: string }, options: CoreClientOptions = {}) {
  return startCore(hub.url, { token: hub.token, ...options });
}

/** Each message's role and text. */
export function messagesOf({ values }: CoreClient): readonly string[] {
  return textsOf(values["messages"] as readonly AiMessage[]);
}

export function textsOf(messages: readonly object[] = []): readonly string[] {
  return (messages as readonly AiMessage[]).map(({ role, content }) => `${role}: ${content as string}`);
}
