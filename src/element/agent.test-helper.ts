import { onTestFinished } from "vitest";
import { bootstrapAi, resetConfig } from "./index.ts";
import type { AiAgent, AiAgentEventMap, IWritableConfig } from "./index.ts";

export interface SentRequest {
  readonly url: string;
  readonly headers: Headers;
  // oxlint-disable-next-line no-explicit-any -- what a provider is sent, looked at by the tests
  readonly body: any;
  readonly signal: AbortSignal;
  /** Adds an event to the answer. */
  say(data: object | string): void;
  /** Ends the answer, after sending `text` if given. */
  end(text?: string): void;
}

/** Adds markup to the document until the test ends, and returns its `<ai-agent>`. */
export function show(markup: string, config: IWritableConfig = {}): AiAgent {
  resetConfig();
  bootstrapAi(config);
  const place = document.createElement("div");
  onTestFinished(() => {
    place.remove();
    resetConfig();
  });
  document.body.append(place);
  place.innerHTML = markup;
  return place.querySelector("ai-agent") ?? document.createElement("ai-agent");
}

/** An OpenAI-compatible model whose answers the test controls. */
export function createModel() {
  const requests: SentRequest[] = [];
  const unclaimed: SentRequest[] = [];
  const waiting: ((request: SentRequest) => void)[] = [];
  const model: typeof fetch = async (url, init = {}) => {
    const signal = init.signal ?? new AbortController().signal;
    let controller: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
    signal.addEventListener("abort", () => controller.error(signal.reason));
    const say = (data: object | string) => {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      controller.enqueue(new TextEncoder().encode(`data: ${text}\n\n`));
    };
    const end = (text = "") => {
      say({ choices: [{ index: 0, delta: { content: text } }] });
      say({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
      say("[DONE]");
      controller.close();
    };
    const headers = new Headers(init.headers);
    const request = { url: url as string, headers, body: JSON.parse(init.body as string), signal, say, end };
    requests.push(request);
    const [first] = waiting.splice(0, 1);
    if (first) first(request);
    else unclaimed.push(request);
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  };
  /** The first request that no one has taken yet. */
  const next = async () => unclaimed.shift() ?? (await new Promise<SentRequest>((resolve) => waiting.push(resolve)));
  const answer = async (text: string) => (await next()).end(text);
  return { fetch: model, requests, next, answer };
}

/** An element with a prompt, and the model that answers it. */
export function prepare(markup = `<ai-agent id="chat" provider="openai" model="m"></ai-agent>`) {
  const model = createModel();
  const agent = show(markup);
  Object.assign(agent, { fetch: model.fetch, prompt: "Hello" });
  return { agent, model };
}

type EventName = keyof AiAgentEventMap;

/** Records an element's events from now on, as pairs of an event's name and its detail. */
export function record(agent: AiAgent, ...names: EventName[]): unknown[] {
  const heard: unknown[] = [];
  for (const name of names) {
    agent.addEventListener(name, (event) => heard.push([name.slice("ai-agent:".length), event.detail]));
  }
  return heard;
}

/** Resolves with the next detail that the test was waiting for. */
export function nextEvent<Name extends EventName>(
  agent: AiAgent,
  name: Name,
  isWanted: (detail: AiAgentEventMap[Name]["detail"]) => boolean = () => true,
): Promise<AiAgentEventMap[Name]["detail"]> {
  return new Promise((resolve) => {
    agent.addEventListener(name, function heard(event) {
      if (!isWanted(event.detail)) return;
      agent.removeEventListener(name, heard);
      resolve(event.detail);
    });
  });
}
