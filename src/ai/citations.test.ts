import { expect, test } from "vitest";
import { readCitations } from "./citations.ts";
import { citedStreams } from "./citations.test-fixture.ts";
import type { CitedStream } from "./citations.test-fixture.ts";
import { createConversation, settled } from "./model.test-helper.ts";
import type { AiMessage, AiRequestOptions } from "./index.ts";

const streamed = { "content-type": "text/event-stream" };

async function answerTo(
  { provider }: Pick<CitedStream, "provider">,
  respond: () => Response,
  options: Partial<AiRequestOptions> = {},
): Promise<AiMessage | undefined> {
  const { core, send } = createConversation({ fetch: async () => respond(), ...options });
  core.provider = provider;
  await send();
  expect(core.error).toBeNull();
  return core.messages.at(-1);
}

const bodyOf = (events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

test.each(citedStreams)("the sources of an answer are kept with it: $name", async (stream) => {
  const body = bodyOf(stream.events);
  const message = await answerTo(stream, () => new Response(body, { headers: streamed }));
  expect(message).toMatchObject({ content: stream.text, citations: stream.citations });
  const placed = stream.citations.filter(({ start }) => start !== undefined);
  for (const { start, end } of placed) expect(stream.text.slice(start, end)).toMatch(/^(Oolong|Grün).*\.$/);
});

const whole: Record<string, (stream: CitedStream) => object> = {
  openai: ({ events, text }) => {
    const [first = {}] = events;
    const deltas = events.map((event) => (event as { choices: { delta: object }[] }).choices[0]?.delta);
    const message = Object.assign({}, ...deltas, { content: text }) as object;
    return { ...first, ...events.at(-1), choices: [{ index: 0, message, finish_reason: "stop" }] };
  },
  "openai-responses": ({ events }) => (events.at(-1) as { response: object }).response,
  anthropic: ({ text, citations }) => ({
    content: [
      { type: "text", text, citations: citations.map(({ quote, ...page }) => ({ ...page, cited_text: quote })) },
    ],
    stop_reason: "end_turn",
  }),
  google: ({ events, text }) => {
    const [last] = (events.at(-1) as { candidates: object[] }).candidates;
    return { candidates: [{ ...last, content: { parts: [{ text }] } }] };
  },
};

test.each(citedStreams)("and those of one that comes whole: $name", async (stream) => {
  const body = whole[stream.provider]?.(stream);
  const message = await answerTo(stream, () => Response.json(body), { stream: false });
  expect(message).toMatchObject({ content: stream.text, citations: stream.citations });
});

test("an answer that is stopped keeps the sources until then", async () => {
  const { core, model, send } = createConversation({ onFailure: "keep" });
  core.provider = "openai";
  const answer = send();
  const request = await model.next();
  const [, said, cited] = citedStreams[0]?.events ?? [];
  request.stream();
  request.write(bodyOf([said ?? {}, cited ?? {}]));
  await expect.poll(() => core.content).not.toBe("");
  // The part that reads them may have to be loaded first.
  await import("./citations.ts");
  await settled();
  core.abort();
  await answer;
  expect(core.messages.at(-1)).toMatchObject({ partial: true, citations: citedStreams[0]?.citations });
});

test("a provider of one's own says them itself", async () => {
  const { core, model, send } = createConversation();
  const answer = send();
  const citations = [{ url: "https://tea.example/", title: "Tea", quote: "Half." }];
  (await model.next()).finish({ delta: "Half.", citations });
  await answer;
  expect(core.messages.at(-1)?.citations).toEqual(citations);
});

test("an answer without sources has none, though its words look like them", async () => {
  const said = '{"citations": ["https://tea.example"], "annotations": [1]}';
  const events = [{ choices: [{ delta: { content: said, annotations: [] }, finish_reason: "stop" }] }];
  const message = await answerTo({ provider: "openai" }, () => new Response(bodyOf(events), { headers: streamed }));
  expect(message).toMatchObject({ content: said });
  expect(message).not.toHaveProperty("citations");
});

test.each<[string, unknown]>([
  ["no JSON", undefined],
  ["a number", 7],
  ["null", null],
  ["other types", { choices: "x", citations: 7, content: {}, candidates: [null], annotation: "x", delta: 3 }],
  ["empty lists of nothing", { choices: [null], citations: [null, 3, {}], content: [null], search_results: [null] }],
  ["addresses that are no pages", { citations: ["javascript:alert(1)", "data:text/html,x", "/x", "ftp://a.example"] }],
  ["credentials", { citations: ["https://user:secret@bank.example/"] }],
  ["an address without an end", { citations: [`https://tea.example/${"x".repeat(5000)}`] }],
  [
    "grounding of another form",
    { candidates: [{ groundingMetadata: { groundingChunks: [null, 3, { web: 1 }], groundingSupports: [null, {}] } }] },
  ],
])("what is no source is ignored: %s", (_, event) => {
  const answer = { content: "x" };
  readCitations(answer, JSON.stringify(event) ?? "<html>");
  expect(answer).toEqual({ content: "x" });
});

test("the sources are bounded in number and length, and each is there once", () => {
  const answer: Parameters<typeof readCitations>[0] = { content: "x" };
  const many = Array.from({ length: 5000 }, (_, at) => `https://tea.example/${at}`);
  for (let round = 0; round < 3; round += 1) readCitations(answer, JSON.stringify({ citations: many }));
  expect(answer.citations).toHaveLength(100);
  const long: Parameters<typeof readCitations>[0] = { content: "x" };
  const cited_text = "🍵".repeat(1000);
  const citation = { url: "https://tea.example", title: `a\n${"b".repeat(1000)}`, cited_text };
  readCitations(long, JSON.stringify({ delta: { citation } }));
  const [{ title = "", quote = "" } = {}] = long.citations ?? [];
  expect([title.length, title.startsWith("a b"), quote.length <= 500]).toEqual([300, true, true]);
  // Half a character would throw.
  expect(() => encodeURIComponent(quote)).not.toThrow();
});

test.each([
  [5, 4],
  [-1, 1],
  [0, 99],
  [0.5, 1],
])("a place that is none in the text is left out, and the source kept: %s to %s", (start_index, end_index) => {
  const answer: Parameters<typeof readCitations>[0] = { content: "Oolong" };
  const url_citation = { start_index, end_index, url: "https://tea.example/", title: "Tea" };
  readCitations(answer, JSON.stringify({ choices: [{ message: { annotations: [{ url_citation }] } }] }));
  expect(answer.citations).toEqual([{ url: "https://tea.example/", title: "Tea" }]);
});
