// The layout of an answer: stored as a hint, so that the next request returns it as the provider made it, with its
// signatures and in its order. Text, pictures and calls are in the message itself; the layout only has their positions.
import type { AiStreamChunkResult } from "../provider.ts";
import type { AiMessage, AiToolCall } from "../types.ts";
import { countOf, listOf, plainText, textOf } from "./read.ts";

/** A length of text, a picture with the length of its address, a call, or a block of the provider's own, with its extra `fields`. */
interface Entry {
  text?: number;
  image?: number;
  call?: true;
  block?: object;
  fields?: object | undefined;
}

export interface Layout {
  /** Adds the next part. */
  add(entry: Entry): void;
  /** Stores it in the chunk, unless it is only text followed by calls. */
  keep(provider: string, chunk: AiStreamChunkResult): void;
}

export function createLayout(): Layout {
  const parts: Entry[] = [];
  return {
    add(entry) {
      const last = parts.at(-1);
      if (entry.text !== undefined && last?.text !== undefined && !entry.fields && !last.fields)
        last.text += entry.text;
      else parts.push(entry);
    },
    keep(provider, chunk) {
      if (parts.some(({ block, fields, image }) => block ?? fields ?? image))
        chunk.providerHints = { [provider]: { parts } };
    },
  };
}

interface Makers {
  text(text: string, fields?: object): object;
  call(call: AiToolCall, fields?: object): object;
  /** For APIs that take pictures back. */
  image?(url: string, fields?: object): object | undefined;
}

/** The parts of an assistant's message, as they were laid out. */
export function layOut(message: AiMessage, provider: string, make: Makers): object[] {
  let rest = plainText(message.content);
  const images = listOf(message.content).map((part) => textOf(part?.url));
  const calls = [...(message.toolCalls ?? [])];
  const laid = listOf(message.providerHints?.[provider]?.parts).map((entry) => {
    const fields = entry?.fields ?? undefined;
    if (entry?.block) return entry.block;
    if (entry?.call) {
      const next = calls.shift();
      return next && make.call(next, fields);
    }
    if (entry?.image) {
      // One that was left out of the message is left out here.
      const at = images.findIndex(({ length }) => length === countOf(entry.image));
      const [url] = at < 0 ? [] : images.splice(at, 1);
      return url && make.image?.(url, fields);
    }
    const text = rest.slice(0, countOf(entry?.text));
    rest = rest.slice(text.length);
    return text || fields ? make.text(text, fields) : undefined;
  });
  return [...laid, rest && make.text(rest), ...calls.map((call) => make.call(call))].filter(
    (part) => typeof part === "object",
  );
}
