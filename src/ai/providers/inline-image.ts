import type { AiContentImagePart } from "../types.ts";

/** The bytes in a data: URL; undefined for other URLs. Throws if it has no media type, or is not base64. */
export function inlineImage({ url, mediaType }: AiContentImagePart): { type: string; data: string } | undefined {
  const [head, named] = /^data:([^;,]*)(?:;[^,]*)?;base64,/i.exec(url) ?? [];
  const type = mediaType || named;
  if (head && type) return { type, data: url.slice(head.length) };
  if (!/^data:/i.test(url)) return undefined;
  throw new Error(`An image needs data:<type>;base64,<bytes>, not ${url.slice(0, 40)}…`);
}
