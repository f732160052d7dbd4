// The pictures that a model has made, from the formats of the APIs that have some.
import { fileLimits } from "../wire/index.ts";
import type { Answer } from "./answer.ts";
import { listOf, loose, parse, textOf } from "./providers/read.ts";
import type { Loose } from "./providers/read.ts";
import type { AiContentImagePart } from "./types.ts";
import { addressOf } from "./web-address.ts";

/** Adds the pictures of an event, and those that the provider has `given`. One beyond the bounds is left out. */
export function readImages(
  answer: Pick<Answer, "images">,
  data: string,
  given: readonly AiContentImagePart[] | undefined,
): void {
  const event = loose(parse(data));
  const found = given?.map(({ url }) => url) ?? [...chatImages(event), ...responsesImages(event)];
  // The end of a stream repeats what came before.
  const urls = new Set(answer.images?.map(({ url }) => url));
  let room = fileLimits.answerBytes;
  for (const url of urls) room -= bytesIn(url);
  for (const each of found) {
    const url = pictureOf(each);
    if (!url || urls.has(url) || urls.size === fileLimits.answerImages || bytesIn(url) > room) continue;
    urls.add(url);
    room -= bytesIn(url);
  }
  if (urls.size > 0) answer.images = [...urls].map((url) => ({ type: "image", url }));
}

function bytesIn(url: string): number {
  return Math.ceil((url.length * 3) / 4);
}

/** Empty unless it is a picture that browsers show, or an address of the web that is encrypted. */
function pictureOf(value: unknown): string {
  const text = textOf(value);
  const [head] = /^data:image\/(png|jpeg|webp|gif);base64,(?=.)/.exec(text) ?? [];
  if (head) return /[^\w+/=]|_/.test(text.slice(head.length)) ? "" : text;
  const address = addressOf(text);
  return address.startsWith("https:") ? address : "";
}

/** OpenRouter's chat completions. */
function chatImages(event: Loose): unknown[] {
  const [choice] = listOf(event?.choices);
  return listOf((choice?.delta ?? choice?.message)?.images).map((image) => image?.image_url?.url);
}

/** OpenAI's responses: a picture once it is done, and all of them at the end. Unfinished ones are events of another type. */
function responsesImages(event: Loose): unknown[] {
  return [event?.item, ...listOf((event?.response ?? event)?.output)].flatMap((item) => {
    const isImage = textOf(item?.type) === "image_generation_call" && textOf(item?.result);
    return isImage ? [`data:image/${textOf(item?.output_format) || "png"};base64,${textOf(item?.result)}`] : [];
  });
}
