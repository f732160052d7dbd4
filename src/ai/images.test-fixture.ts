// Answers with pictures, in the form in which each API streams them. The pictures are ours: one pixel.
export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";
const gif = "R0lGODlhAQABAAAAACwAAAAAAQABAAA=";
export const far = "https://pictures.example/tea.webp";

const pngUrl = `data:image/png;base64,${png}`;
const gifUrl = `data:image/gif;base64,${gif}`;

export interface DrawnStream {
  readonly provider: "openai" | "openai-responses" | "google";
  readonly name: string;
  readonly events: readonly object[];
  readonly whole: object;
  readonly text: string;
  readonly urls: readonly string[];
}

const imageUrl = (url: string, index = 0) => ({ index, type: "image_url", image_url: { url } });

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: "gen-1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
});

const images = [imageUrl(pngUrl), imageUrl(far, 1)];

const openRouter: DrawnStream = {
  provider: "openai",
  name: "chat completions of OpenRouter",
  events: [
    chunk({ role: "assistant", content: "A cup." }),
    chunk({ role: "assistant", content: "", images }),
    chunk({ role: "assistant", content: "", images: [imageUrl(pngUrl)] }, "stop"),
  ],
  whole: {
    choices: [{ index: 0, message: { role: "assistant", content: "A cup.", images }, finish_reason: "stop" }],
  },
  text: "A cup.",
  urls: [pngUrl, far],
};

const drawing = { id: "ig_1", type: "image_generation_call", status: "completed", output_format: "png", result: png };
const message = { id: "msg_1", type: "message", content: [{ type: "output_text", text: "A cup.", annotations: [] }] };
const response = { id: "resp_1", status: "completed", output: [drawing, message] };

const responses: DrawnStream = {
  provider: "openai-responses",
  name: "OpenAI's responses",
  events: [
    { type: "response.output_item.added", output_index: 0, item: { ...drawing, status: "in_progress", result: null } },
    { type: "response.image_generation_call.generating", output_index: 0, item_id: "ig_1" },
    {
      type: "response.image_generation_call.partial_image",
      ...{ output_index: 0, item_id: "ig_1", partial_image_index: 0, partial_image_b64: gif },
    },
    { type: "response.output_item.done", output_index: 0, item: drawing },
    { type: "response.output_text.delta", output_index: 1, delta: "A cup." },
    { type: "response.completed", response },
  ],
  whole: response,
  text: "A cup.",
  urls: [pngUrl],
};

/** The parts of Gemini's answer: its thoughts hold a sketch, which is none of the answer's pictures. */
export const geminiParts = [
  { inlineData: { mimeType: "image/gif", data: gif }, thought: true, thoughtSignature: "c2tldGNo" },
  { inlineData: { mimeType: "image/png", data: png }, thoughtSignature: "b25l" },
  { text: "A cup." },
  { inlineData: { mimeType: "image/gif", data: gif } },
  { text: "And again.", thoughtSignature: "dHdv" },
];

const candidate = (parts: readonly object[], finishReason?: string) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...(finishReason && { finishReason }) }],
});

const gemini: DrawnStream = {
  provider: "google",
  name: "Gemini",
  events: [
    candidate(geminiParts.slice(0, 2)),
    candidate(geminiParts.slice(2, 4)),
    candidate(geminiParts.slice(4), "STOP"),
  ],
  whole: candidate(geminiParts, "STOP"),
  text: "A cup.And again.",
  urls: [pngUrl, gifUrl],
};

export const drawnStreams = [openRouter, responses, gemini];
