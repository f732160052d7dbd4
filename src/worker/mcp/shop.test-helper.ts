// For the tests of clients: a page without a hub, whose tools answer automatically, and an initialized client.
import type { FrameFromPage, JsonObject, Tool } from "../../wire/index.ts";
import { helloOf, toolNamed } from "../local/local.test-helper.ts";
import type { Hand, Heard, LocalWorld, RawClient } from "../local/local.test-helper.ts";

export interface Shop {
  readonly page: Hand<FrameFromPage>;
  readonly calls: readonly Heard[];
  offer(...tools: readonly Tool[]): void;
  /** Answers a call that no tool answers by itself. */
  answer(call: Heard | undefined, result: JsonObject): void;
}

/** The tools' results. A tool that is missing here never answers. */
const results: Readonly<Record<string, (input: JsonObject) => JsonObject>> = {
  echo: (input) => ({ content: [], structuredContent: input }),
  number: () => ({ content: [{ type: "text", text: "7" }], structuredContent: 7 }),
  fail: () => ({ content: [{ type: "text", text: "The shelf is empty." }], isError: true }),
  broken: () => ({ content: "no", resultType: "input_required", _meta: { mine: 1 } }),
};

export const shopTools: readonly Tool[] = [...Object.keys(results), "hold", "nonsense"].map((name) => toolNamed(name));

export async function openShop(world: LocalWorld, token?: string): Promise<Shop> {
  world.hub.answers = "no";
  const page = await world.open();
  const calls: Heard[] = [];
  const answer: Shop["answer"] = (call, result) => {
    page.say({ type: "result", id: call?.id ?? "" }, JSON.stringify(result));
  };
  const welcomed = new Promise<void>((resolve) => {
    page.onFrame = (frame) => {
      if (frame.type === "welcome") resolve();
      if (frame.type !== "call") return;
      calls.push(frame);
      const id = frame.id;
      page.say({ type: "ack", id });
      const result = results[frame.name]?.(JSON.parse(frame.payload) as JsonObject);
      if (result) answer(frame, result);
      else if (frame.name === "nonsense") page.say({ type: "result", id }, "no JSON");
    };
  });
  page.say(helloOf(token === undefined ? {} : { token }));
  await welcomed;
  const shop: Shop = {
    page,
    calls,
    answer,
    offer(...tools) {
      page.say({ type: "offer" }, JSON.stringify({ tools, resources: [], resourceTemplates: [], prompts: [] }));
    },
  };
  shop.offer(...shopTools);
  await world.settle();
  return shop;
}

export const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "raw", version: "1" },
};

/** A client of one of the older revisions, initialized. */
export async function olderClient(world: LocalWorld, protocolVersion = "2025-11-25"): Promise<RawClient> {
  const client = world.client();
  await client.ask("initialize", { ...initialize, protocolVersion });
  client.post({ jsonrpc: "2.0", method: "notifications/initialized" });
  return client;
}
