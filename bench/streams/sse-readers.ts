// Parsers of event streams: from pieces that are there already, and through a ReadableStream.
import { createParser } from "eventsource-parser";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { createSseParser } from "../../src/ai/sse.ts";
import type { Answer } from "./answer.ts";
import { createBareParser } from "./bare-parse.ts";
import type { PrepareReader, Reader } from "./reader.ts";
import { streamOf } from "./replay.ts";
import { textOf } from "./text-of.ts";

/** Takes a piece of the stream, and returns the text in it. */
type CreatePusher = (answer: Answer) => (piece: string) => string;

const bare: CreatePusher = ({ format }) => createBareParser(format);

const own: CreatePusher = ({ format }) => {
  const take = textOf(format);
  let text = "";
  const parser = createSseParser((_, data) => (text += take(data)));
  return (piece) => {
    text = "";
    parser.push(piece);
    return text;
  };
};

const eventSource: CreatePusher = ({ format }) => {
  const take = textOf(format);
  let text = "";
  const parser = createParser({ onEvent: ({ data }) => (text += take(data)) });
  return (piece) => {
    text = "";
    parser.feed(piece);
    return text;
  };
};

export const syncReaders: Readonly<Record<string, PrepareReader>> = {
  floor: (answer) => syncReader(answer, bare),
  pagewire: (answer) => syncReader(answer, own),
  "eventsource-parser": (answer) => syncReader(answer, eventSource),
};

export const streamReaders: Readonly<Record<string, PrepareReader>> = {
  floor: (answer) => streamReader(answer, bare),
  pagewire: (answer) => streamReader(answer, own),
  "eventsource-parser": (answer) => streamReader(answer, eventSource),
  EventSourceParserStream: (answer) => transformReader(answer),
};

function syncReader(answer: Answer, create: CreatePusher): Reader {
  return () => {
    const push = create(answer);
    const decoder = new TextDecoder();
    let text = "";
    for (const event of answer.events) text += push(decoder.decode(event, { stream: true }));
    return text;
  };
}

function streamReader(answer: Answer, create: CreatePusher): Reader {
  return async () => {
    const push = create(answer);
    const decoder = new TextDecoder();
    const reader = streamOf(answer).getReader();
    let text = "";
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      text += push(decoder.decode(next.value, { stream: true }));
    }
    return text;
  };
}

function transformReader(answer: Answer): Reader {
  const take = textOf(answer.format);
  return async () => {
    let text = "";
    const events = streamOf(answer).pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    for await (const { data } of events) text += take(data);
    return text;
  };
}
