// The pictures that a model has made, from the formats of the APIs that have some.
import { fileLimits } from "../wire/index.ts";
import type { Answer } from "./answer.ts";
import { listOf, loose, parse, textOf } from "./providers/read.ts";
import type { Loose } from "./providers/read.ts";
import type { AiContentImagePart } from "./types.ts";
import { addressOf } from "./web-address.ts";

/** Adds the pictures of an event, and those that the provider has `given`. Of what cannot be kept the last part says why. */
export function readImages(
  answer: Pick<Answer, "images">,
  data: string,
  given: readonly AiContentImagePart[] | undefined,
): void {
  const event = loose(parse(data));
  const found = given?.map(({ url }) => url) ?? [...chatImages(event), ...responsesImages(event)];
  const before = answer.images ?? [];
  // The end of a stream repeats what came before.
  const urls = new Set(before.flatMap((part) => (part.type === "image" ? [part.url] : [])));
  const missing = new Set(before.flatMap((part) => (part.type === "text" ? [part.text] : [])));
  let room = fileLimits.answerBytes;
  for (const url of urls) room -= bytesIn(url);
  for (const each of found.filter((one) => textOf(one) !== "")) {
    const url = pictureOf(each);
    const isBeyond = urls.size === fileLimits.answerImages || bytesIn(url) > room;
    if (urls.has(url)) continue;
    if (!url || isBeyond) missing.add(url ? beyond : unreadable);
    else {
      urls.add(url);
      room -= bytesIn(url);
    }
  }
  const images = [...urls].map((url) => ({ type: "image" as const, url }));
  const notes = [...missing].map((text) => ({ type: "text" as const, text }));
  if (images.length + notes.length > 0) answer.images = [...images, ...notes];
}

const { answerImages, answerBytes } = fileLimits;
const beyond = `[A picture was left out: an answer keeps at most ${answerImages} pictures, ${answerBytes / 1_000_000} MB in total.]`;
const unreadable = "[A picture was left out: it is neither a PNG, JPEG, WebP or GIF nor at an https address.]";

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
