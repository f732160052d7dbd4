// The sources that an answer names, from the formats of the APIs that have some. Loaded, with what reads its pictures, when an event
// may hold one of either; what it does not know it ignores.
import type { Answer } from "./answer.ts";
import type { AiCitation } from "./citation.ts";
import { readImages } from "./images.ts";
import type { AiStreamChunkResult } from "./provider.ts";
import { countOf, listOf, loose, parse, textOf } from "./providers/read.ts";
import type { Loose } from "./providers/read.ts";
import { addressOf } from "./web-address.ts";

const maxCitations = 100;
const maxTitle = 300;
const maxQuote = 500;

type Given = Pick<AiStreamChunkResult, "citations" | "images">;

/** Adds the sources and pictures of an event of a stream, or of a whole answer, to those that its provider has read itself. */
export function readExtras(answer: Answer, data: string, given: Given | null): void {
  if (!given?.citations) readCitations(answer, data);
  readImages(answer, data, given?.images);
}

/** Adds the sources that an event of a stream names, or a whole answer. */
export function readCitations(answer: Pick<Answer, "content" | "citations">, data: string): void {
  const event = loose(parse(data));
  const found = [...chatSources(event), ...responsesSources(event), ...anthropicSources(event)];
  found.push(...groundingSources(event, answer.content), ...listedSources(event));
  const citations = new Map((answer.citations ?? []).map((citation) => [JSON.stringify(citation), citation]));
  for (const each of found.slice(0, 2 * maxCitations)) {
    const citation = citationOf(each, answer.content.length);
    if (citation && citations.size < maxCitations) citations.set(JSON.stringify(citation), citation);
  }
  const all = [...citations.values()];
  if (all.length > 0) answer.citations = all.filter((citation) => !all.some((other) => isSaidBetter(citation, other)));
}

/** The end of a stream may say where a source belongs that was named without that. */
function isSaidBetter({ url, title, quote, start }: AiCitation, other: AiCitation): boolean {
  const isSame = other.url === url && other.title === title && other.quote === quote;
  return isSame && start === undefined && other.start !== undefined;
}

interface Found {
  readonly url?: unknown;
  readonly title?: unknown;
  readonly quote?: unknown;
  readonly start?: unknown;
  readonly end?: unknown;
}

function citationOf({ url, title, quote, start, end }: Found, length: number): AiCitation | undefined {
  const address = addressOf(textOf(url).trim());
  const name = shorten(textOf(title), maxTitle);
  const words = shorten(textOf(quote), maxQuote);
  if (!address && !name) return undefined;
  const isRange = Number.isInteger(start) && Number.isInteger(end) && 0 <= Number(start) && Number(start) < Number(end);
  return {
    ...(address && { url: address }),
    ...(name && { title: name }),
    ...(words && { quote: words }),
    ...(isRange && Number(end) <= length && { start: Number(start), end: Number(end) }),
  };
}

function shorten(text: string, max: number): string {
  const plain = text.replace(/\s+/g, " ").trim();
  // A cut may have left half a character.
  return plain.length > max ? `${plain.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : plain;
}

/** OpenAI's chat completions, with the routers that follow them, and Azure's answers about one's own data. */
function chatSources(event: Loose): Found[] {
  const [choice] = listOf(event?.choices);
  const message = choice?.delta ?? choice?.message;
  const cited = listOf(message?.annotations).map((annotation) => annotationOf(annotation?.url_citation));
  const own = listOf(message?.context?.citations).map((source) => ({ ...pageOf(source), quote: source?.content }));
  return [...cited, ...own];
}

/** OpenAI's responses: an annotation while it streams, and all of them at the end, with their places in the whole text. */
function responsesSources(event: Loose): Found[] {
  if (event?.annotation) return [pageOf(event.annotation)];
  let length = 0;
  const parts = listOf((event?.response ?? event)?.output).flatMap((item) => listOf(item?.content));
  return parts.flatMap((part) => {
    const before = length;
    length += textOf(part?.text).length + textOf(part?.refusal).length;
    return listOf(part?.annotations).map((annotation) => annotationOf(annotation, before));
  });
}

function annotationOf(annotation: Loose, before = 0): Found {
  const [start, end] = [annotation?.start_index, annotation?.end_index].map((at) => Number(at) + before);
  return { ...pageOf(annotation), quote: annotation?.content, start, end };
}

function pageOf(source: Loose): Found {
  return { url: source?.url, title: source?.title || source?.filename || source?.filepath };
}

/** Anthropic: of a search, of a search result that was sent along, and of documents. */
function anthropicSources(event: Loose): Found[] {
  const whole = listOf(event?.content).flatMap((block) => listOf(block?.citations));
  const started = listOf(event?.content_block?.citations);
  return [event?.delta?.citation, ...started, ...whole].map((cited) => ({
    url: cited?.url ?? cited?.source,
    title: cited?.title || cited?.document_title,
    quote: cited?.cited_text,
  }));
}

/** Gemini: the pages first, each with the parts of the text that it supports. */
function groundingSources(event: Loose, text: string): Found[] {
  const grounding = listOf(event?.candidates)[0]?.groundingMetadata;
  if (!grounding) return [];
  const bytes = new TextEncoder().encode(text);
  const parts = listOf(grounding.groundingSupports)
    .slice(0, maxCitations)
    .map((support) => ({
      indices: new Set<unknown>(listOf(support?.groundingChunkIndices)),
      place: partOf(support?.segment, text, bytes),
    }));
  return listOf(grounding.groundingChunks)
    .slice(0, maxCitations)
    .flatMap((chunk, index) => {
      const place = chunk?.web ?? chunk?.retrievedContext ?? chunk?.maps;
      const page = { url: place?.uri, title: place?.title || place?.domain, quote: chunk?.retrievedContext?.text };
      const supported = parts.filter(({ indices }) => indices.has(index));
      return supported.length > 0 ? supported.map(({ place: part }) => ({ ...page, ...part })) : [page];
    });
}

/** Gemini counts bytes, which are other places than those of characters. */
function partOf(segment: Loose, text: string, bytes: Uint8Array): Pick<Found, "start" | "end"> {
  const said = textOf(segment?.text);
  const at = new TextDecoder().decode(bytes.subarray(0, countOf(segment?.startIndex))).length;
  const start = text.startsWith(said, at) ? at : text.indexOf(said);
  return said === "" || start < 0 ? {} : { start, end: start + said.length };
}

/** Perplexity, xAI: addresses beside the answer, in the order in which its text numbers them. */
function listedSources(event: Loose): Found[] {
  const results = listOf(event?.search_results);
  const listed = listOf(event?.citations);
  if (listed.length === 0) return results.map(pageOf);
  return listed.map((source) => {
    const url = textOf(source) || textOf(source?.url);
    const known = results.find((result) => textOf(result?.url) === url);
    return { url, title: source?.title || known?.title };
  });
}
