import { onTestFinished, vi } from "vitest";
import { AiCore } from "./index.ts";
import type {
  AiMessage,
  AiProviderResponse,
  AiRequestOptions,
  AiStreamChunkResult,
  AiTool,
  IAiProvider,
} from "./index.ts";

type Said = Partial<AiStreamChunkResult>;

interface Body {
  readonly messages: AiMessage[];
  readonly tools?: AiTool[];
  readonly toolChoice?: AiRequestOptions["toolChoice"];
  readonly [name: string]: unknown;
}

export interface ModelRequest {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: Body;
  readonly signal: AbortSignal | undefined;
  /** Whether the reader has abandoned the answer's stream. */
  readonly isCancelled: boolean;
  /** Starts to stream, and sends these pieces. */
  stream(...said: Said[]): void;
  /** Starts to stream bytes of another type. */
  streamAs(contentType: string): void;
  /** Streams on. */
  say(...said: Said[]): void;
  /** Streams on, with bytes as they are. */
  write(bytes: string | Uint8Array): void;
  /** Sends these, then ends the answer. */
  finish(...said: Said[]): void;
  /** Closes the stream without a word. */
  close(): void;
  /** Breaks the connection, before or in the stream. */
  fail(error: unknown): void;
  /** Answers without a stream. */
  json(answer: AiProviderResponse): void;
  respond(response: Response): void;
}

/** A provider whose events are the results themselves, as JSON. */
export const plainProvider: IAiProvider = {
  buildRequest: (messages, { fetch: _fetch, signal: _signal, approve: _approve, ...options }) => ({
    url: "https://model.test/answer",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ messages, ...options }),
  }),
  parseResponse: (data: AiProviderResponse) => data,
  parseStreamChunk(_event, data) {
    if (data === "[DONE]") return { done: true };
    return { done: false, ...(JSON.parse(data) as Said) };
  },
};

function createModel() {
  const requests: ModelRequest[] = [];
  const unclaimed: ModelRequest[] = [];
  const claims: ((request: ModelRequest) => void)[] = [];
  const model = (url: string | URL | Request, init: RequestInit = {}): Promise<Response> =>
    new Promise((resolve, reject) => {
      const request = createRequest(url as string, init, { resolve, reject });
      requests.push(request);
      const claim = claims.shift();
      if (claim) claim(request);
      else unclaimed.push(request);
    });
  /** The first request that the test has not seen yet. */
  const next = () => {
    const request = unclaimed.shift();
    return request ? Promise.resolve(request) : new Promise<ModelRequest>((resolve) => claims.push(resolve));
  };
  return { fetch: model as typeof fetch, requests, next };
}

interface Outcome {
  resolve(response: Response): void;
  reject(error: unknown): void;
}

function createRequest(url: string, init: RequestInit, { resolve, reject }: Outcome): ModelRequest {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isCancelled = false;
  const signal = init.signal ?? undefined;
  const fail = (error: unknown) => (controller ? controller.error(error) : reject(error));
  const stop = () => fail(signal?.reason);
  signal?.addEventListener("abort", stop);
  const cancel = () => {
    isCancelled = true;
    signal?.removeEventListener("abort", stop);
  };
  const write = (bytes: string | Uint8Array) => {
    if (!isCancelled) controller?.enqueue(typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes);
  };
  const say = (...said: Said[]) => write(said.map((result) => `data: ${JSON.stringify(result)}\n\n`).join(""));
  const streamAs = (type: string) => {
    const body = new ReadableStream<Uint8Array>({
      start: (given) => void (controller = given),
      cancel,
    });
    resolve(new Response(body, { headers: { "Content-Type": type } }));
  };
  const stream = (...said: Said[]) => {
    streamAs("text/event-stream; charset=utf-8");
    if (said.length > 0) say(...said);
  };
  return {
    url,
    headers: init.headers as Record<string, string>,
    body: JSON.parse(init.body as string) as Body,
    signal,
    get isCancelled() {
      return isCancelled;
    },
    stream,
    streamAs,
    say,
    write,
    finish(...said) {
      if (!controller) stream();
      say(...said);
      write("data: [DONE]\n\n");
    },
    close: () => controller?.close(),
    fail,
    json: (answer) => resolve(Response.json(answer)),
    respond: resolve,
  };
}

/** A core whose model is the test. */
export function createConversation(given: Partial<AiRequestOptions> = {}) {
  const core = new AiCore();
  core.provider = plainProvider;
  const model = createModel();
  const options: AiRequestOptions = { model: "test-model", fetch: model.fetch, ...given };
  onTestFinished(() => core.abort());
  const send = (prompt: Parameters<AiCore["send"]>[0] = "Hi", more: Partial<AiRequestOptions> = {}) =>
    core.send(prompt, { ...options, ...more });
  return { core, model, options, send };
}

/** Records a core's events from now on, as pairs of an event's name and its detail. */
export function record(core: AiCore, ...names: string[]): [name: string, detail: unknown][] {
  const heard: [string, unknown][] = [];
  for (const name of names) {
    core.addEventListener(`ai-agent:${name}`, (event) => heard.push([name, (event as CustomEvent).detail]));
  }
  return heard;
}

export function nextEvent<Detail>(
  core: AiCore,
  name: string,
  isWanted: (detail: Detail) => boolean = () => true,
): Promise<Detail> {
  return new Promise((resolve) => {
    core.addEventListener(`ai-agent:${name}`, function heard(event) {
      const { detail } = event as CustomEvent<Detail>;
      if (!isWanted(detail)) return;
      core.removeEventListener(`ai-agent:${name}`, heard);
      resolve(detail);
    });
  });
}

/** Messages without their ids, which are other ones in each run. */
export function withoutIds(messages: readonly AiMessage[]): AiMessage[] {
  return messages.map(({ id: _id, ...message }) => message);
}

/** Waits until everything that is due has happened. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Holds the clock until the test is over; `vi` moves it. */
export function holdTime(now?: string): void {
  vi.useFakeTimers({
    toFake: ["Date", "setTimeout", "clearTimeout"],
    ...(now !== undefined && { now: Date.parse(now) }),
  });
  onTestFinished(() => void vi.useRealTimers());
}
