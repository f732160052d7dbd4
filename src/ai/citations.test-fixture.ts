// Answers with sources, in the form in which each API streams them. The texts and addresses are ours.
import type { AiCitation } from "./citation.ts";

export interface CitedStream {
  readonly provider: "openai" | "openai-responses" | "anthropic" | "google";
  readonly name: string;
  readonly events: readonly object[];
  readonly text: string;
  readonly citations: readonly AiCitation[];
}

const tea = "https://tea.example/oolong";
const leaf = "https://leaf.example/green?lang=en";
const text = "Oolong is half oxidised. Grün is not.";

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  model: "gpt-4o-search-preview-2025-03-11",
  choices: [{ index: 0, delta, finish_reason }],
});

const urlCitation = (url: string, title: string, [start_index, end_index]: readonly [number, number]) => ({
  type: "url_citation",
  url_citation: { start_index, end_index, title, url },
});

const chat: CitedStream = {
  provider: "openai",
  name: "chat completions with a search",
  events: [
    chunk({ role: "assistant", content: "" }),
    chunk({ content: text }),
    chunk({ annotations: [urlCitation(tea, "Oolong", [0, 24]), urlCitation(leaf, "Green", [25, 37])] }),
    chunk({}, "stop"),
  ],
  text,
  citations: [
    { url: tea, title: "Oolong", start: 0, end: 24 },
    { url: leaf, title: "Green", start: 25, end: 37 },
  ],
};

const perplexity: CitedStream = {
  provider: "openai",
  name: "Perplexity",
  events: ["Oolong is half oxidised[1]. ", "Grün is not[2]."].map((content, at) => ({
    id: "1",
    model: "sonar-pro",
    object: "chat.completion.chunk",
    citations: [tea, leaf],
    search_results: [
      { title: "Oolong", url: tea, date: "2026-01-02", last_updated: null, snippet: "Half.", source: "web" },
      { title: "Green", url: leaf, date: null },
    ],
    choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: at === 1 ? "stop" : null }],
  })),
  text: "Oolong is half oxidised[1]. Grün is not[2].",
  citations: [
    { url: tea, title: "Oolong" },
    { url: leaf, title: "Green" },
  ],
};

const grok: CitedStream = {
  provider: "openai",
  name: "xAI, whose last chunk has the addresses alone",
  events: [chunk({ content: text }), { ...chunk({}, "stop"), citations: [tea, leaf] }],
  text,
  citations: [{ url: tea }, { url: leaf }],
};

const azure: CitedStream = {
  provider: "openai",
  name: "Azure with data of one's own",
  events: [
    chunk({
      role: "assistant",
      context: {
        citations: [
          { title: "teas.pdf", content: "Oolong is  half\noxidised.", url: null, filepath: "teas.pdf", chunk_id: "0" },
        ],
        intent: "[]",
      },
    }),
    chunk({ content: "Half [doc1]." }),
    chunk({}, "stop"),
  ],
  text: "Half [doc1].",
  citations: [{ title: "teas.pdf", quote: "Oolong is half oxidised." }],
};

const annotation = { type: "url_citation", start_index: 0, end_index: 24, title: "Oolong", url: tea };
const file = { type: "file_citation", file_id: "file-1", filename: "teas.pdf", index: 3 };
const item = { id: "msg_1", type: "message", role: "assistant" };

const responses: CitedStream = {
  provider: "openai-responses",
  name: "responses with a search",
  events: [
    { type: "response.created", response: { id: "resp_1", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { id: "ws_1", type: "web_search_call" } },
    { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "First. " },
    { type: "response.output_text.delta", output_index: 2, content_index: 0, delta: text },
    {
      type: "response.output_text.annotation.added",
      ...{ output_index: 2, content_index: 0, annotation_index: 0, annotation },
    },
    {
      type: "response.completed",
      response: {
        output: [
          { id: "ws_1", type: "web_search_call", status: "completed" },
          { ...item, content: [{ type: "output_text", text: "First. ", annotations: [] }] },
          { ...item, content: [{ type: "output_text", text, annotations: [annotation, file] }] },
        ],
        usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      },
    },
  ],
  text: `First. ${text}`,
  citations: [{ url: tea, title: "Oolong", start: 7, end: 31 }, { title: "teas.pdf" }],
};

const cite = (index: number, citation: object) => ({
  type: "content_block_delta",
  index,
  delta: { type: "citations_delta", citation },
});
const say = (index: number, words: string) => ({
  type: "content_block_delta",
  index,
  delta: { type: "text_delta", text: words },
});
const open = (index: number) => ({
  type: "content_block_start",
  index,
  content_block: { type: "text", text: "", citations: [] },
});

const anthropic: CitedStream = {
  provider: "anthropic",
  name: "Anthropic with a search and documents",
  events: [
    { type: "message_start", message: { id: "msg_1", model: "claude-haiku-4-5", usage: { input_tokens: 1 } } },
    open(0),
    cite(0, {
      type: "web_search_result_location",
      ...{ url: tea, title: "Oolong", encrypted_index: "Eo8B", cited_text: "Half oxidised." },
    }),
    say(0, "Oolong is half oxidised. "),
    { type: "content_block_stop", index: 0 },
    open(1),
    say(1, "Grün is not."),
    cite(1, {
      type: "char_location",
      ...{ cited_text: "Green is not.", document_index: 0, document_title: "My teas" },
      ...{ start_char_index: 3, end_char_index: 16, file_id: null },
    }),
    cite(1, {
      type: "search_result_location",
      ...{ source: leaf, title: "Green", cited_text: "Not at all.", search_result_index: 0 },
      ...{ start_block_index: 0, end_block_index: 1 },
    }),
    { type: "content_block_stop", index: 1 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ],
  text,
  citations: [
    { url: tea, title: "Oolong", quote: "Half oxidised." },
    { title: "My teas", quote: "Green is not." },
    { url: leaf, title: "Green", quote: "Not at all." },
  ],
};

const candidate = (parts: object[], more: object = {}) => ({
  candidates: [{ content: { parts, role: "model" }, index: 0, ...more }],
  modelVersion: "gemini-2.5-flash",
});

const google: CitedStream = {
  provider: "google",
  name: "Gemini with Google's search",
  events: [
    candidate([{ text: "Grün ist nicht oxidiert. " }]),
    candidate([{ text: "Oolong halb." }], {
      finishReason: "STOP",
      groundingMetadata: {
        searchEntryPoint: { renderedContent: "<style></style><div>…</div>" },
        webSearchQueries: ["oolong"],
        groundingChunks: [
          { web: { uri: leaf, title: "leaf.example" } },
          { web: { uri: tea, title: "tea.example", domain: "tea.example" } },
          { retrievedContext: { uri: "gs://bucket/teas.pdf", title: "teas.pdf", text: "Half." } },
        ],
        groundingSupports: [
          { segment: { endIndex: 25, text: "Grün ist nicht oxidiert." }, groundingChunkIndices: [0] },
          {
            segment: { startIndex: 26, endIndex: 38, text: "Oolong halb." },
            groundingChunkIndices: [1, 0],
            confidenceScores: [0.9, 0.5],
          },
        ],
      },
    }),
  ],
  text: "Grün ist nicht oxidiert. Oolong halb.",
  citations: [
    { url: leaf, title: "leaf.example", start: 0, end: 24 },
    { url: leaf, title: "leaf.example", start: 25, end: 37 },
    { url: tea, title: "tea.example", start: 25, end: 37 },
    { title: "teas.pdf", quote: "Half." },
  ],
};

export const citedStreams = [chat, perplexity, grok, azure, responses, anthropic, google];
