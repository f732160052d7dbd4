import type { AiContent, AiContentPart } from "pagewire/ai-agent";

/** A prompt for the model: by the user, or in the user's place by the app that `from` names. */
export interface Prompt {
  readonly text: string;
  /** As `data:` URLs. */
  readonly images: readonly string[];
  readonly from?: string | undefined;
}

export function isEmptyPrompt({ text, images }: Prompt): boolean {
  return text.trim() === "" && images.length === 0;
}

/** A prompt in the form that the model is given it in. */
export function contentOf({ text, images }: Prompt): string | AiContentPart[] {
  if (images.length === 0) return text;
  const said: AiContentPart[] = text.trim() === "" ? [] : [{ type: "text", text }];
  return [...said, ...images.map((url): AiContentPart => ({ type: "image", url }))];
}

/** A message's content as text and pictures. */
export function promptOf(content: AiContent): Prompt {
  if (typeof content === "string") return { text: content, images: [] };
  return {
    text: content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n"),
    images: content.flatMap((part) => (part.type === "image" ? [part.url] : [])),
  };
}
