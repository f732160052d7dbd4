import { expect, test } from "vitest";
import { fileLimits } from "../wire/index.ts";
import { readImages } from "./images.ts";
import { drawnStreams, far, geminiParts, png } from "./images.test-fixture.ts";
import type { DrawnStream } from "./images.test-fixture.ts";
import { createConversation, settled } from "./model.test-helper.ts";
import type { AiContentPart, AiMessage } from "./index.ts";

const streamed = { "content-type": "text/event-stream" };
const pngUrl = `data:image/png;base64,${png}`;

const bodyOf = (events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

function contentOf({ text, urls }: Pick<DrawnStream, "text" | "urls">): AiContentPart[] {
  return [{ type: "text", text }, ...urls.map((url): AiContentPart => ({ type: "image", url }))];
}

/** A conversation with an answer to a question; `bodies` are the requests. */
async function answered(stream: DrawnStream, isWhole = false) {
  const bodies: string[] = [];
  const { core, send } = createConversation({
    stream: !isWhole,
    fetch: async (_url, init) => {
      bodies.push(init?.body as string);
      return isWhole ? Response.json(stream.whole) : new Response(bodyOf(stream.events), { headers: streamed });
    },
  });
  core.provider = stream.provider;
  const text = await send();
  expect(core.error).toBeNull();
  return { core, send, text, bodies };
}

test.each(drawnStreams)("the pictures of an answer are kept as parts of its message: $name", async (stream) => {
  const { core, text } = await answered(stream);
  expect([text, core.content]).toEqual([stream.text, stream.text]);
  expect(core.messages.at(-1)).toMatchObject({ role: "assistant", content: contentOf(stream) });
});

test.each(drawnStreams)("and those of an answer that comes whole: $name", async (stream) => {
  const { core, text } = await answered(stream, true);
  expect([text, core.messages.at(-1)?.content]).toEqual([stream.text, contentOf(stream)]);
});

test.each(drawnStreams)("the next request says the answer's text again: $name", async (stream) => {
  const { core, send, bodies } = await answered(stream);
  expect(await send("Once more")).toBe(stream.text);
  expect(core.error).toBeNull();
  const [sent = ""] = bodies.slice(1);
  expect(sent).toContain("A cup.");
  expect(sent.includes(png)).toBe(stream.provider === "google");
});

test("Gemini gets its own parts back, in their order and with their signatures", async () => {
  const [, , gemini] = drawnStreams;
  if (!gemini) throw new Error("Gemini's stream is missing.");
  const { send, bodies } = await answered(gemini);
  await send("Once more");
  const { contents } = JSON.parse(bodies[1] ?? "") as { contents: { role: string; parts: object[] }[] };
  expect(contents[1]).toEqual({ role: "model", parts: geminiParts.slice(1) });
});

test.each(["openai", "openai-responses", "anthropic", "google", "azure-openai", "mistral", "openrouter", "bedrock"])(
  "pictures of another provider's answer are left out, and nothing fails: %s",
  async (provider) => {
    let body = "";
    const { core, send } = createConversation({
      apiKey: "key",
      baseUrl: "https://model.test",
      fetch: async (_url, init) => {
        body = init?.body as string;
        return new Response("", { status: 500 });
      },
    });
    core.provider = provider;
    const urls = [pngUrl, far];
    core.messages = [
      { role: "user", content: "Draw" },
      { role: "assistant", content: contentOf({ text: "A cup.", urls }) },
      { role: "user", content: "And another" },
      { role: "assistant", content: contentOf({ text: "", urls }).slice(1) },
    ];
    await send();
    expect(core.error).toMatchObject({ status: 500 });
    expect(body).toContain("A cup.");
    for (const url of [png, far]) expect(body).not.toContain(url);
  },
);

test("an answer that is only a picture has an empty text, and a message without one", async () => {
  const { core, model, send } = createConversation();
  const answer = send();
  (await model.next()).finish({ images: [{ type: "image", url: pngUrl }], finishReason: "stop" });
  expect(await answer).toBe("");
  expect(core.messages.at(-1)?.content).toEqual([{ type: "image", url: pngUrl }]);
});

test("a picture before a tool call stays with its message, and the answer after it has its own", async () => {
  const parameters = { type: "object", properties: {} };
  const tools = [{ name: "brew", description: "", parameters, handler: () => "done" }];
  const { core, model, send } = createConversation({ tools });
  const answer = send();
  const toolCallDeltas = [{ index: 0, id: "c1", name: "brew", arguments: "{}" }];
  (await model.next()).finish({ images: [{ type: "image", url: pngUrl }], toolCallDeltas, finishReason: "tool_use" });
  const again = await model.next();
  expect(again.body.messages[1]).toMatchObject({ content: [{ type: "image", url: pngUrl }] });
  again.finish({ delta: "Tea.", finishReason: "stop" });
  expect(await answer).toBe("Tea.");
  expect(core.messages.map(({ content }) => content)).toEqual(["Hi", [{ type: "image", url: pngUrl }], "done", "Tea."]);
});

test("an answer that is stopped keeps the pictures until then", async () => {
  const { core, model, send } = createConversation({ onFailure: "keep" });
  const answer = send();
  const request = await model.next();
  request.stream({ images: [{ type: "image", url: pngUrl }] }, { reasoningDelta: "Hm." });
  await expect.poll(() => core.reasoning).toBe("Hm.");
  // The part that reads them may have to be loaded first.
  await import("./citations.ts");
  await settled();
  core.abort();
  await answer;
  expect(core.messages.at(-1)).toMatchObject({ partial: true, content: [{ type: "image", url: pngUrl }] });
});

test("an answer with pictures is asked for again, and its question edited", async () => {
  const [stream] = drawnStreams;
  if (!stream) throw new Error("The stream is missing.");
  const { core } = await answered(stream);
  const options = {
    model: "m",
    fetch: async () => new Response(bodyOf(stream.events), { headers: streamed }),
  };
  expect(await core.regenerate(options)).toBe("A cup.");
  expect(await core.edit(core.messages[0]?.id ?? "", "Else", options)).toBe("A cup.");
  expect(core.messages.map(({ content }) => content)).toEqual(["Else", contentOf(stream)]);
});

test("a conversation with pictures can be set again as it was", async () => {
  const [stream] = drawnStreams;
  if (!stream) throw new Error("The stream is missing.");
  const { core } = await answered(stream);
  const copy = JSON.parse(JSON.stringify(core.messages)) as AiMessage[];
  core.messages = copy;
  expect(core.messages).toEqual(copy);
});

/** The addresses of the pictures, and the texts for those that are left out; an event that comes twice changes nothing. */
function readFrom(...urls: unknown[]): string[] {
  const answer: Parameters<typeof readImages>[0] = {};
  const images = urls.map((url) => ({ type: "image_url", image_url: { url } }));
  const event = JSON.stringify({ choices: [{ delta: { images } }] });
  readImages(answer, event, undefined);
  const once = structuredClone(answer);
  readImages(answer, event, undefined);
  expect(answer).toEqual(once);
  return (answer.images ?? []).map((part) => (part.type === "image" ? part.url : part.text));
}

const beyond = "[A picture was left out: an answer keeps at most 8 pictures, 8 MB in total.]";
const unreadable = "[A picture was left out: it is neither a PNG, JPEG, WebP or GIF nor at an https address.]";

test.each([
  "http://pictures.example/x.png",
  "https://user:secret@pictures.example/x.png",
  `https://pictures.example/${"x".repeat(5000)}`,
  "javascript:alert(1)",
  "blob:https://pictures.example/1",
  `data:image/svg+xml;base64,${png}`,
  `data:text/html;base64,${png}`,
  `data:image/png,${png}`,
  "data:image/png;base64,",
  'data:image/png;base64,AAAA"><script>',
])("what is no picture is left out, and the last part says why: %j", (url) => {
  expect(readFrom(url, pngUrl, url)).toEqual([pngUrl, unreadable]);
});

test.each([7, null, {}, ""])("a picture without an address is none: %j", (url) => {
  expect(readFrom(url, pngUrl)).toEqual([pngUrl]);
});

test.each<[string, unknown]>([
  ["no JSON", undefined],
  ["a number", 7],
  ["other types", { choices: 1, item: "x", output: {}, response: { output: [null, 3] } }],
  ["lists of nothing", { choices: [{ delta: { images: [null, 3, {}] } }] }],
])("an event of another form has no pictures: %s", (_, event) => {
  const answer = {};
  readImages(answer, JSON.stringify(event) ?? "<html>", undefined);
  expect(answer).toEqual({});
});

test("pictures are bounded in number and bytes, and each is there once", () => {
  const many = Array.from({ length: 100 }, (_, at) => `https://pictures.example/${at}`);
  expect(readFrom(...many, ...many)).toEqual([...many.slice(0, fileLimits.answerImages), beyond]);
  const large = `data:image/png;base64,${"A".repeat(fileLimits.answerBytes)}`;
  expect(readFrom(large, `${large}AAAA`, pngUrl)).toEqual([large, pngUrl, beyond]);
});

test("an answer says that it has more pictures than it keeps, also one that is too large alone, and its text is as it was", async () => {
  const huge = `data:image/png;base64,${"A".repeat(2 * fileLimits.answerBytes)}`;
  const { core, model, send } = createConversation();
  const answer = send();
  const images = [{ type: "image" as const, url: huge }];
  (await model.next()).finish({ delta: "A cup.", images, finishReason: "stop" });
  expect([await answer, core.content]).toEqual(["A cup.", "A cup."]);
  const content = [
    { type: "text", text: "A cup." },
    { type: "text", text: beyond },
  ];
  expect(core.messages.at(-1)?.content).toEqual(content);
  const copy = JSON.parse(JSON.stringify(core.messages)) as AiMessage[];
  core.messages = copy;
  expect(core.messages).toEqual(copy);
});
