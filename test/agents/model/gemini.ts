// Google's generateContent, as Gemini CLI asks for it.
import { dataEvent } from "./model-format.ts";
import type { JsonBody, ModelAnswer, ModelFormat } from "./model-format.ts";

export const gemini: ModelFormat = {
  basePath: "",
  isAsked: (path) => path.endsWith("enerateContent"),
  count: { path: ":countTokens", answer: { totalTokens: 7 } },
  read({ systemInstruction, contents = [], tools = [] }, path) {
    const parts = contents.flatMap((content: JsonBody) => content.parts ?? []);
    return {
      instructions: [...(systemInstruction?.parts ?? []), ...parts].map(({ text = "" }: JsonBody) => text).join("\n"),
      tools: tools
        .flatMap(({ functionDeclarations = [] }: JsonBody) => functionDeclarations)
        .map(({ name, description = "", parametersJsonSchema, parameters }: JsonBody) => ({
          name,
          description,
          schema: parametersJsonSchema ?? parameters,
        })),
      results: contents.flatMap((content: JsonBody) => resultsOf(content.parts ?? [])),
      isStream: path.endsWith(":streamGenerateContent"),
    };
  },
  whole: contentOf,
  events: (answer, id) => [dataEvent(contentOf(answer, id))],
};

/** Images are parts beside the response to the call, or within it. */
function resultsOf(parts: readonly JsonBody[]) {
  const beside = parts.filter(({ inlineData }) => inlineData).length;
  return parts.flatMap(({ functionResponse }) => {
    if (!functionResponse) return [];
    const { output, error } = functionResponse.response;
    const inside = (functionResponse.parts ?? []).filter(({ inlineData }: JsonBody) => inlineData).length;
    return [{ text: String(output ?? error ?? JSON.stringify(functionResponse.response)), images: beside + inside }];
  });
}

function contentOf(answer: ModelAnswer, id: string) {
  const part =
    "text" in answer
      ? { text: answer.text }
      : { functionCall: { id: `call_${id}`, name: answer.call.tool.name, args: answer.call.input } };
  return {
    responseId: `answer_${id}`,
    modelVersion: "scripted",
    candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 5, totalTokenCount: 12 },
  };
}
