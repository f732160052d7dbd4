// Answers that do not stream: whole ones, and errors. Loaded for them.
import { lose, take } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { readExtras } from "./citations.ts";
import type { IAiProvider } from "./provider.ts";
import type { AiHttpError } from "./types.ts";

/** Max time and size for reading an error's body. */
const BODY_TIMEOUT = 2000;
const MAX_CHARACTERS = 65_536;

interface Whole {
  readonly url: string;
  readonly response: Response;
  readonly provider: IAiProvider;
  readonly watch: ((data: string) => void) | undefined;
}

/** Reads a whole answer; throws if the response is not one. */
export async function takeWhole(answer: Answer, { url, response, provider, watch }: Whole): Promise<void> {
  if (!response.ok) throw await readHttpError(response);
  const data = await response.json().catch((cause: unknown) => lose(answer, `${url} sent no JSON`, cause));
  const text = JSON.stringify(data);
  watch?.(text);
  const { content, reasoning = "", toolCalls = [], ...more } = provider.parseResponse(data);
  const toolCallDeltas = toolCalls.map((call, index) => ({ ...call, index, argumentsDelta: call.arguments }));
  take(answer, { ...more, delta: content, reasoningDelta: reasoning, toolCallDeltas, done: true });
  readExtras(answer, text, more);
}

export async function readHttpError(response: Response): Promise<AiHttpError> {
  const { status, statusText, headers } = response;
  const body = await readStart(response.body?.getReader());
  const retryAfter = secondsUntil(headers.get("retry-after") ?? "");
  return { status, statusText, body, ...(retryAfter !== undefined && { retryAfter }) };
}

/** As much of a body as arrives in time. */
async function readStart(reader?: ReturnType<NonNullable<Response["body"]>["getReader"]>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  const leave = () => void reader?.cancel().catch(() => {});
  const timer = setTimeout(leave, BODY_TIMEOUT);
  try {
    for (;;) {
      const piece = await reader?.read();
      if (!piece || piece.done || text.length > MAX_CHARACTERS) break;
      text += decoder.decode(piece.value, { stream: true });
    }
  } catch {
    // The text before the connection broke is included all the same.
  }
  clearTimeout(timer);
  leave();
  return text;
}

/** Reads Retry-After, which is a number of seconds or a date. */
function secondsUntil(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text.trim())) return Number(text);
  const seconds = Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return seconds > 0 ? seconds : undefined;
}
