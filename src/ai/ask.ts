// One request to a provider, and its answer.
import { lose, take } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { copy } from "./core-state.ts";
import { loaded } from "./lazy-parts.ts";
import type { IAiProvider } from "./provider.ts";
import { createSseParser } from "./sse.ts";
import type { AiMessage, AiRequestOptions } from "./types.ts";

/** Whether an event may name sources, or hold pictures. */
const extra = /"(annotation|citation|grounding|search_results|image)/;

/** Timeout for a stream that stays open and silent after its finish reason. */
export const finishGrace = 2000;

interface Question {
  readonly provider: IAiProvider;
  readonly messages: readonly AiMessage[];
  readonly options: AiRequestOptions;
  readonly signal: AbortSignal;
  watch?: ((data: string) => void) | undefined;
  /** The answer starts to stream. */
  onStream(): void;
  /** More of the answer has arrived. */
  onMore(): void;
}

/** Completes the answer; throws if that failed. After a stop it may do neither. */
export async function ask(answer: Answer, question: Question): Promise<void> {
  const { provider, messages, options, signal, watch } = question;
  const { url, headers, body } = provider.buildRequest(messages.map(copy), options);
  const request = provider.createFetch?.(options) ?? options.fetch ?? fetch;
  const isWhole = options.stream === false;
  const [response] = await Promise.all([
    request(url, { method: "POST", headers, body, signal }).catch((cause: unknown) =>
      lose(answer, `${url} could not be reached`, cause),
    ),
    isWhole && loadWhole(),
  ]);
  if (signal.aborted) return void response.body?.cancel().catch(() => undefined);
  const isStream = /text\/event-stream/i.test(response.headers.get("content-type") ?? "");
  if (response.ok && !isWhole && response.body && isStream) return await readStream(response.body, answer, question);
  const { takeWhole } = await loadWhole();
  await takeWhole(answer, { url, response, provider, watch });
}

/** Reads answers that do not stream, errors among them. */
function loadWhole() {
  return loaded(import("./whole-answer.ts"));
}

async function readStream(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  answer: Answer,
  { provider, signal, watch, onStream, onMore }: Question,
): Promise<void> {
  const reader = body.getReader();
  const endOrLose = (cause?: unknown) => {
    if (!answer.isDone && !answer.finishReason) lose(answer, "The answer was cut off before it was complete", cause);
    return { done: true, value: undefined } as const;
  };
  // Ends a read that waits, too.
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", cancel);
  let grace: ReturnType<typeof setTimeout> | undefined;
  let cited: Promise<void> | undefined;
  let seen = 0;
  try {
    const events = provider.createStreamReader?.();
    const decoder = new TextDecoder();
    const parser = createSseParser((event, data) => {
      // A piece may continue after the end.
      if (answer.isDone) return;
      watch?.(data);
      const result = events ? events.read(event, data) : provider.parseStreamChunk(event, data);
      take(answer, result);
      // An answer without its sources is better than none.
      if (result?.images ?? (!result?.citations && extra.test(data)))
        cited = Promise.all([import("./citations.ts"), cited]).then(
          ([part]) => part.readExtras(answer, data, result),
          () => {},
        );
    });
    onStream();
    let isOpen = true;
    while (isOpen && !answer.isDone) {
      const { done, value } = await reader.read().catch(endOrLose);
      try {
        parser.push(decoder.decode(value, { stream: !done }));
        if (done) parser.end();
      } finally {
        // Content before an error in the same chunk is shown, too.
        if (!signal.aborted) onMore();
      }
      signal.throwIfAborted();
      isOpen = !done;
      const length = lengthOf(answer);
      if (answer.finishReason && (length !== seen || !grace)) {
        clearTimeout(grace);
        grace = setTimeout(cancel, finishGrace);
      }
      seen = length;
    }
    endOrLose();
    await cited;
  } finally {
    clearTimeout(grace);
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

function lengthOf({ content, reasoning, deltas }: Answer): number {
  return content.length + reasoning.length + deltas.length;
}
