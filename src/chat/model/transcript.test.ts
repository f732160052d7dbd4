import { expect, test } from "vitest";
import type { AiMessage } from "../../element/index.ts";
import { transcriptOf } from "./transcript.ts";

const messages: AiMessage[] = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "Which tea?" },
      { type: "image", url: "data:image/png;base64,AA==" },
    ],
  },
  { role: "assistant", content: "", toolCalls: [{ id: "1", name: "find_tea", arguments: '{"leaf":"long"}' }] },
  { role: "tool", content: "```\noolong\n```", toolCallId: "1" },
  { role: "assistant", content: "Oolong." },
  { role: "user", content: "Order it.", from: "https://shop.example" },
];

test("a picture that the model made is named in Markdown, and kept in JSON", () => {
  const picture = { type: "image" as const, url: "data:image/png;base64,AA==" };
  const answer: AiMessage = { role: "assistant", content: [{ type: "text", text: "A cup." }, picture] };
  expect(transcriptOf([answer])).toBe("## Assistant\n\nA cup.\n\n(a picture)\n");
  expect(JSON.parse(transcriptOf([answer], "json"))).toEqual([answer]);
});

test("a conversation is saved as Markdown, with its calls and what came out, and without its system text", () => {
  expect(transcriptOf(messages)).toBe(`## You

Which tea?

(a picture)

Tool \`find_tea\`:

\`\`\`
{"leaf":"long"}
\`\`\`

Result:

\`\`\`\`
\`\`\`
oolong
\`\`\`
\`\`\`\`

## Assistant

Oolong.

## https://shop.example

Order it.
`);
});

test("an answer's model, tokens and cost are below it, and no more of them than is known", () => {
  const usage = { promptTokens: 900_000, completionTokens: 100_000, totalTokens: 1_000_000, cost: 12.345 };
  const answer = { role: "assistant", content: "Oolong.", model: "gpt-x", usage } as const;
  const line = (message: AiMessage) => transcriptOf([message]).split("\n\n")[2];
  expect(line(answer)).toBe("_gpt-x · 1,000,000 tokens: 900,000 in, 100,000 out · $12.35_\n");
  expect(line({ ...answer, usage: { ...usage, cost: 0.00001 } })).toMatch(/ · less than \$0\.0001_\n$/);
  expect(line({ ...answer, usage: { ...usage, totalTokens: 0, cost: 0 } })).toBe("_gpt-x · $0_\n");
  expect(line({ role: "assistant", content: "Oolong.", model: "gpt-x" })).toBeUndefined();
  expect(line({ role: "assistant", content: "Oolong." })).toBeUndefined();
});

test("as JSON it is its messages", () => {
  expect(JSON.parse(transcriptOf(messages, "json"))).toEqual(messages);
});
