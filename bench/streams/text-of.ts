import type { AnswerFormat } from "./answer.ts";

/** The fields that hold text, of whichever API. */
interface TextEvent {
  readonly choices?: readonly { readonly delta: { readonly content?: string } }[];
  readonly delta?: { readonly text?: string };
  readonly candidates?: readonly { readonly content: { readonly parts: readonly { readonly text: string }[] } }[];
}

const places: Record<AnswerFormat, (event: TextEvent) => string | undefined> = {
  openai: ({ choices }) => choices?.[0]?.delta.content,
  anthropic: ({ delta }) => delta?.text,
  google: ({ candidates }) => candidates?.[0]?.content.parts[0]?.text,
};

/** Finds the text in the data of an event. */
export function textOf(format: AnswerFormat): (data: string) => string {
  const place = places[format];
  return (data) => (data === "[DONE]" ? "" : (place(JSON.parse(data) as TextEvent) ?? ""));
}
