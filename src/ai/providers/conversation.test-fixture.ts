import type { AiMessage, AiRequestOptions, AiTool } from "../types.ts";

export const weather: AiTool = {
  name: "get_weather",
  description: "The weather of a place.",
  parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
};

export const pixel = "data:image/png;base64,iVBORw0KGgo=";

/** Two parallel calls, one of which failed; another whose arguments are not JSON; and an empty answer. */
export const conversation: AiMessage[] = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "Where is this, and how is the weather there?" },
      { type: "image", url: pixel, detail: "low" },
    ],
  },
  {
    role: "assistant",
    content: "",
    finishReason: "tool_use",
    toolCalls: [
      { id: "call_1", name: "get_weather", arguments: '{"place":"Tokyo"}' },
      { id: "call_2", name: "get_weather", arguments: '{"place":"Kyoto"}' },
    ],
  },
  { role: "tool", content: '{"temperature":18}', toolCallId: "call_1" },
  { role: "tool", content: '{"error":"No such place."}', toolCallId: "call_2" },
  {
    role: "assistant",
    content: "Once more.",
    toolCalls: [{ id: "call_3", name: "get_weather", arguments: '{"place":' }],
  },
  { role: "tool", content: "[1,2]", toolCallId: "call_3" },
  { role: "assistant", content: "" },
  { role: "user", content: "Well?" },
];

/** Every option that all of the APIs know. */
export const options: AiRequestOptions = {
  model: "a-model",
  apiKey: "sk-test",
  system: "You are a guide.",
  temperature: 0.5,
  topP: 0.9,
  maxTokens: 500,
  tools: [weather],
  toolChoice: "required",
};

export const schema = {
  type: "object",
  properties: { rating: { type: "integer" } },
  required: ["rating"],
  additionalProperties: false,
};
