// Written by hand from the vendor's reference of generateContent: each kind of part, and a chunk's other fields.
const usageMetadata = {
  promptTokenCount: 20,
  cachedContentTokenCount: 8,
  candidatesTokenCount: 6,
  thoughtsTokenCount: 4,
  totalTokenCount: 30,
};

export const chunk = (parts: readonly object[], finishReason?: string) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...(finishReason && { finishReason }) }],
  usageMetadata,
  modelVersion: "gemini",
  responseId: "r",
});

export const textStream = [chunk([{ text: "Hello" }]), chunk([{ text: " the" }, { text: "re" }], "STOP")];

const called = (name: string, more: object = {}) => ({ functionCall: { name, args: { place: name }, ...more } });

/** The parts of the streams below, in order; the first thought has no signature, and is not sent back. */
export const signedParts = [
  { text: "I will" },
  { text: " look.", thoughtSignature: "dGV4dA==" },
  { text: "Sure?", thought: true, thoughtSignature: "dGhvdWdodA==" },
  { ...called("Tokyo", { id: "srv-1" }), thoughtSignature: "Y2FsbA==" },
  called("Kyoto", { id: "srv-2" }),
];

export const signedStream = [
  chunk([{ text: "Let me see.", thought: true }]),
  chunk(signedParts.slice(0, 2)),
  chunk(signedParts.slice(2, 4)),
  chunk(signedParts.slice(4), "STOP"),
];

export const lateSignatureStream = [
  chunk([{ text: "Four." }]),
  chunk([{ text: "", thoughtSignature: "bGF0ZQ==" }], "STOP"),
];

export const callWithoutId = [chunk([{ functionCall: { name: "get_weather" } }], "STOP")];

/** Requested through the body. */
export const otherParts = [
  { executableCode: { language: "PYTHON", code: "1" } },
  { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
  { inlineData: { mimeType: "image/png", data: "AAAA" } },
];

export const blocked = {
  promptFeedback: {
    blockReason: "PROHIBITED_CONTENT",
    blockReasonMessage: "The prompt was blocked.",
    safetyRatings: [],
  },
  usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 },
};

export const failure = { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } };
