import { expect, test } from "vitest";
import type { AiMessage } from "../../../ai/index.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { startCore, startWith } from "./core.test-helper.ts";
import { playModel, sayAlways } from "./model.test-helper.ts";

const prices = { "gpt-a": { input: 1, output: 1 } };
const usage = { promptTokens: 999_999, completionTokens: 1, totalTokens: 1_000_000 };

test("an answer's model, tokens and cost are stored with it, and the model only as chosen where it was", async () => {
  const { hub, client } = await startWith(sayAlways("Hi.", 1_000_000), { prices, quota: Infinity });
  await client.run("send", "One", {});
  await client.run("send", "Two", { model: "gpt-b" });
  expect(client.values["usage"]).toEqual(usage);
  const { session } = client;
  await client.close();
  const again = await startCore(hub.url, { origin: shop, session });
  const messages = again.values["messages"] as AiMessage[];
  expect(messages[1]).toMatchObject({ model: "gpt-a", usage: { ...usage, cost: 1 } });
  expect(messages[1]).not.toHaveProperty("chosenModel");
  expect(messages[3]).toMatchObject({ model: "gpt-b", chosenModel: "gpt-b", usage });
  expect(messages[3]?.usage).not.toHaveProperty("cost");
});

test("a hub has the built-in prices, and without prices it stores the tokens alone", async () => {
  const ask = async (more: object) => {
    const { client } = await startWith(sayAlways("Hi.", 1000), { model: "gpt-4o-mini", ...more });
    await client.run("send", "One", {});
    return (client.values["messages"] as AiMessage[])[1];
  };
  expect((await ask({}))?.usage?.cost).toBe(0.00015045);
  expect(await ask({ prices: false })).toMatchObject({ model: "gpt-4o-mini", usage: { totalTokens: 1000 } });
  expect((await ask({ prices: false }))?.usage).not.toHaveProperty("cost");
});

test("an answer's pictures reach the client, large ones too, and are there when the conversation is opened again", async () => {
  const url = `data:image/png;base64,${"A".repeat(7_000_000)}`;
  const delta = { content: "A cup.", images: [{ type: "image_url", image_url: { url } }] };
  const body = `data: ${JSON.stringify({ choices: [{ delta, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`;
  const model = playModel(() => new Response(body, { headers: { "content-type": "text/event-stream" } }));
  const { hub, client } = await startWith(model);
  expect(await client.run("send", "Draw", {})).toBe("A cup.");
  // Compared as texts: a difference of two long ones takes a while to be shown.
  const content = JSON.stringify([
    { type: "text", text: "A cup." },
    { type: "image", url },
  ]);
  const kept = ({ values }: typeof client) =>
    JSON.stringify((values["messages"] as AiMessage[])[1]?.content) === content;
  expect(kept(client)).toBe(true);
  const { session } = client;
  await client.close();
  const again = await startCore(hub.url, { origin: shop, session });
  expect(kept(again)).toBe(true);
  expect(await again.run("send", "Again", {})).toBe("A cup.");
  expect(JSON.stringify(model.requests[1]?.body)).not.toContain("data:image");
});

test("an answer's sources reach the client, and are there when the conversation is opened again", async () => {
  const url_citation = { url: "https://tea.example/", title: "Tea", start_index: 0, end_index: 5 };
  const delta = { content: "Half.", annotations: [{ type: "url_citation", url_citation }] };
  const body = `data: ${JSON.stringify({ choices: [{ delta, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`;
  const model = playModel(() => new Response(body, { headers: { "content-type": "text/event-stream" } }));
  const { hub, client } = await startWith(model);
  await client.run("send", "One", {});
  const cited = { content: "Half.", citations: [{ url: "https://tea.example/", title: "Tea", start: 0, end: 5 }] };
  expect((client.values["messages"] as AiMessage[])[1]).toMatchObject(cited);
  const { session } = client;
  await client.close();
  const again = await startCore(hub.url, { origin: shop, session });
  expect((again.values["messages"] as AiMessage[])[1]).toMatchObject(cited);
  await again.run("send", "Two", {});
  expect(JSON.stringify(model.requests[1]?.body)).not.toContain("tea.example");
});
