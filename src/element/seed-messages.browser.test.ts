import { expect, test } from "vitest";
import { createModel, show } from "./agent.test-helper.ts";
import type { AiAgent } from "./index.ts";

const attributes = `provider="openai" model="m"`;
const turns = (agent: AiAgent) =>
  agent.messages.map(({ role, content }) => `${role}: ${JSON.stringify(content).slice(1, -1)}`);

async function firstRequest(agent: AiAgent): Promise<{ role: string; content: string }[]> {
  const model = createModel();
  Object.assign(agent, { fetch: model.fetch, prompt: "Good night" });
  const sending = agent.send();
  const request = await model.next();
  request.end("Bonne nuit");
  await sending;
  return request.body.messages;
}

const fewShot = `
  <ai-message kind="user">  Hello </ai-message>
  <ai-message>
    Translate.
  </ai-message>
  <ai-message kind="assistant">Bonjour</ai-message>
  <ai-message kind="user"> \n </ai-message>
  <p><ai-message kind="user">Good morning</ai-message></p>
  <ai-message kind="system">Never used.</ai-message>
  <ai-message kind="assistant">Bonjour</ai-message>
  <ai-message kind="tool">Never used.</ai-message>`;
const seeded = ["user: Hello", "assistant: Bonjour", "user: Good morning", "assistant: Bonjour"];

test("the children are the system text and the turns that the conversation begins with", async () => {
  const agent = show(`<ai-agent ${attributes}>${fewShot}</ai-agent>`);
  expect(turns(agent)).toEqual([]);
  await Promise.resolve();
  expect(turns(agent)).toEqual(seeded);
  const sent = await firstRequest(agent);
  expect(sent.map(({ role, content }) => `${role}: ${content}`)).toEqual([
    "system: Translate.",
    ...seeded,
    "user: Good night",
  ]);
});

test("an answer that is asked for in the same turn of the page has them too", async () => {
  const agent = show(`<ai-agent ${attributes}>${fewShot}</ai-agent>`);
  expect(await firstRequest(agent)).toHaveLength(6);
});

test("they are read once: neither later children nor a second stay in the document count", async () => {
  const agent = show(`<ai-agent ${attributes}><ai-message kind="user">Hello</ai-message></ai-agent>`);
  const place = agent.parentElement;
  await Promise.resolve();
  agent.insertAdjacentHTML(
    "beforeend",
    `<ai-message kind="assistant">Bonjour</ai-message><ai-message>Sing.</ai-message>`,
  );
  agent.remove();
  await Promise.resolve();
  agent.messages = [];
  place?.append(agent);
  await Promise.resolve();
  expect(turns(agent)).toEqual([]);
  expect((await firstRequest(agent)).map(({ content }) => content)).toEqual(["Good night"]);
});

test.each([{ messages: [{ role: "user" as const, content: "Mine" }] }, { messages: [] }])(
  "a history that was set before is left alone: %j",
  async ({ messages }) => {
    const place = show("<ai-agent></ai-agent>").parentElement;
    const agent = document.createElement("ai-agent");
    agent.innerHTML = fewShot;
    agent.messages = messages;
    place?.append(agent);
    await Promise.resolve();
    expect(agent.messages.map(({ content }) => content)).toEqual(messages.map(({ content }) => content));
  },
);

test("the attribute `system` wins over a child, also when it is empty", async () => {
  const child = "<ai-message>Sing.</ai-message>";
  const agent = show(`<ai-agent ${attributes} system="Be brief.">${child}</ai-agent>`);
  expect((await firstRequest(agent))[0]).toEqual({ role: "system", content: "Be brief." });
  const silent = show(`<ai-agent ${attributes} system="">${child}</ai-agent>`);
  expect((await firstRequest(silent))[0]).toEqual({ role: "user", content: "Good night" });
});

test("`role` says nothing of a child, and those of an agent within belong to it alone", async () => {
  const inner = `<ai-agent id="inner"><ai-message kind="user">Inner</ai-message></ai-agent>`;
  const agent = show(`<ai-agent ${attributes}>${inner}<ai-message role="user">Sing.</ai-message></ai-agent>`);
  expect((await firstRequest(agent))[0]).toEqual({ role: "system", content: "Sing." });
  expect(turns(agent)[0]).toBe("user: Good night");
});

test("a history that is refused does not count as one", async () => {
  const agent = show(`<ai-agent ${attributes}><ai-message kind="user">Hello</ai-message></ai-agent>`);
  expect(() => (agent.messages = [{ role: "nobody" as "user", content: "One" }])).toThrow("role");
  await Promise.resolve();
  expect(turns(agent)).toEqual(["user: Hello"]);
});
