// The messages that AiCore writes itself.
import type { Answer } from "./answer.ts";
import type { AiMessage, AiToolCall } from "./types.ts";

/** A message of a conversation: it can be named. */
export type Entry = AiMessage & { readonly id: string };

/** Another one each time. `crypto.randomUUID` is there on secure pages only. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => (byte % 36).toString(36)).join("");
}

export function withId<Message extends AiMessage>(message: Message): Message & { readonly id: string } {
  return { ...message, id: message.id ?? newId() };
}

/** Each with an id of its own: of two with the same one, the later is given another. */
export function withIds(messages: readonly AiMessage[]): Entry[] {
  const ids = new Set<string>();
  return messages.map((message) => {
    const entry = withId(ids.has(message.id ?? "") ? { ...message, id: newId() } : message);
    ids.add(entry.id);
    return entry;
  });
}

type Text = Pick<Answer, "content" | "reasoning"> &
  Partial<Pick<Answer, "finishReason" | "hints" | "citations" | "images">>;

export function assistantMessage(text: Text, more: { readonly toolCalls?: AiToolCall[] } = {}): Entry {
  const { content, reasoning, finishReason, hints, citations, images } = text;
  return withId<AiMessage>({
    role: "assistant",
    content: images ? [...(content ? [{ type: "text" as const, text: content }] : []), ...images] : content,
    ...more,
    ...(reasoning && { reasoning }),
    ...(finishReason && { finishReason }),
    ...(citations && { citations }),
    ...(hints && { providerHints: hints }),
  });
}
