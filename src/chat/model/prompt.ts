import type { AiContent, AiContentPart } from "../../element/index.ts";

/** A prompt for the model: by the user, or in the user's place by the app that `from` names. */
export interface Prompt {
  readonly text: string;
  /** As `data:` URLs. */
  readonly images: readonly string[];
  /** A PDF, audio, texts. */
  readonly files?: readonly PromptFile[] | undefined;
  readonly from?: string | undefined;
}

export interface PromptFile {
  readonly name: string;
  /** A `data:` URL. */
  readonly url: string;
}

export function isEmptyPrompt({ text, images, files = [] }: Prompt): boolean {
  return text.trim() === "" && images.length === 0 && files.length === 0;
}

/** A prompt in the form that the model is given it in. */
export function contentOf({ text, images, files = [] }: Prompt): string | AiContentPart[] {
  if (images.length + files.length === 0) return text;
  const said: AiContentPart[] = text.trim() === "" ? [] : [{ type: "text", text }];
  return [
    ...said,
    ...images.map((url): AiContentPart => ({ type: "image", url })),
    ...files.map(({ name, url }): AiContentPart => ({ type: "file", name, url })),
  ];
}

/** A message's content as text, pictures and files. */
export function promptOf(content: AiContent): Prompt {
  if (typeof content === "string") return { text: content, images: [] };
  const files = content.flatMap((part) => (part.type === "file" ? [{ name: part.name ?? "file", url: part.url }] : []));
  return {
    ...(files.length > 0 && { files }),
    text: content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n"),
    images: content.flatMap((part) => (part.type === "image" ? [part.url] : [])),
  };
}

/** The bytes in a `data:` URL. */
export function bytesIn(url: string): number {
  const padding = url.endsWith("==") ? 2 : url.endsWith("=") ? 1 : 0;
  return Math.floor(((url.length - url.indexOf(",") - 1) * 3) / 4) - padding;
}

/** Whether two values of plain data are equal. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  return (
    names.length === others.length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(Reflect.get(one, name), Reflect.get(other, name)))
  );
}
