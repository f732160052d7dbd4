// A hub's HTTP response: one message as JSON, or a stream of them.
import type { IncomingMessage } from "node:http";
import { createParser } from "eventsource-parser";
import { defaultLimits } from "../../wire/index.ts";
import { RefusedByHub } from "./failure.ts";

/** The read position in a stream, for resuming it. */
export interface Cursor {
  lastEventId?: string;
  /** The milliseconds that the hub wants to be left alone before. */
  retry?: number;
}

/** A page's result fits into one frame; an answer may be larger, but not by more than this. */
const longestMessage = 2 * defaultLimits.frameBytes;

/** The messages of an answer, each as one line of text. Reads on only when the next one is requested. */
export async function* messagesOf(reply: IncomingMessage, cursor: Cursor = {}): AsyncGenerator<string> {
  const [type = ""] = (reply.headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() === "text/event-stream") return yield* eventsOf(reply, cursor);
  const text = await textOfReply(reply);
  if (text.trim() !== "") yield onOneLine(text);
}

async function* eventsOf(reply: IncomingMessage, cursor: Cursor): AsyncGenerator<string> {
  const texts: string[] = [];
  let tooLong = false;
  const parser = createParser({
    maxBufferSize: longestMessage,
    onEvent({ id, event, data }) {
      if (id !== undefined) cursor.lastEventId = id;
      if (data !== "" && (event === undefined || event === "message")) texts.push(onOneLine(data));
    },
    onRetry(milliseconds) {
      cursor.retry = milliseconds;
    },
    onError({ type }) {
      tooLong ||= type === "max-buffer-size-exceeded";
    },
  });
  for await (const chunk of reply.setEncoding("utf8") as AsyncIterable<string>) {
    parser.feed(chunk);
    yield* texts.splice(0);
    if (tooLong) throw tooLongError();
  }
}

/** Throws the hub's error where the request was refused. */
export async function requireTaken(reply: IncomingMessage): Promise<void> {
  const { statusCode = 0 } = reply;
  if (statusCode < 200 || statusCode > 299) throw new RefusedByHub(statusCode, await textOfReply(reply));
}

async function textOfReply(reply: IncomingMessage): Promise<string> {
  const chunks: string[] = [];
  let length = 0;
  for await (const chunk of reply.setEncoding("utf8") as AsyncIterable<string>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > longestMessage) throw tooLongError();
  }
  return chunks.join("");
}

/** JSON has newlines only between its parts, never inside a string. */
function onOneLine(text: string): string {
  return /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]+/g, " ") : text;
}

function tooLongError(): Error {
  return new Error(`the hub sent a message of more than ${longestMessage} characters`);
}
