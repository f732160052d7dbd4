// A scripted model for tests of the core door.
import type { AiTool, AiToolHandler } from "../../../ai/index.ts";

/** The model's output in one round. */
export interface ModelTurn {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments?: unknown }[];
  readonly tokens?: number;
  /** The rest of the answer is held back until this resolves. */
  readonly waits?: Promise<unknown>;
}

/** A request as the model's provider receives it. */
export interface ModelRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content: unknown }[];
    readonly tools?: readonly { readonly function: { readonly name: string; readonly description: string } }[];
    readonly [field: string]: unknown;
  };
  readonly signal: AbortSignal | undefined;
}

export interface TestModel {
  readonly requests: readonly ModelRequest[];
  readonly fetch: typeof fetch;
}

/** A provider in OpenAI's format. The test's function turns each request into a reply. */
export function playModel(turnOf: (request: ModelRequest, round: number) => ModelTurn | Response): TestModel {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async fetch(input, init) {
      const { headers = {}, body, signal } = init ?? {};
      const request: ModelRequest = {
        url: input as string,
        headers: headers as Record<string, string>,
        body: JSON.parse(body as string) as ModelRequest["body"],
        signal: signal ?? undefined,
      };
      requests.push(request);
      const turn = turnOf(request, requests.length - 1);
      if (turn instanceof Response) return turn;
      return new Response(streamOf(turn, signal ?? undefined), { headers: { "Content-Type": "text/event-stream" } });
    },
  };
}

/** A model that gives every request the same reply. */
export function sayAlways(text: string, tokens = 10): TestModel {
  return playModel(() => ({ text, tokens }));
}

function streamOf({ text = "", calls = [], tokens = 10, waits }: ModelTurn, signal: AbortSignal | undefined) {
  const tool_calls = calls.map(({ name, arguments: given = {} }, index) => {
    return {
      index,
      id: `call_${name}_${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(given) },
    };
  });
  const usage = { prompt_tokens: tokens - 1, completion_tokens: 1, total_tokens: tokens };
  const first = { choices: [{ index: 0, delta: { content: text, ...(calls.length > 0 ? { tool_calls } : {}) } }] };
  const last = { choices: [{ index: 0, delta: {}, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }] };
  const event = (data: unknown) => new TextEncoder().encode(`data: ${JSON.stringify(data)}\n\n`);
  return new ReadableStream<Uint8Array>({
    async start(controller) {
      signal?.addEventListener("abort", () => controller.error(signal.reason), { once: true });
      controller.enqueue(event(first));
      await waits;
      if (signal?.aborted) return;
      controller.enqueue(event(last));
      controller.enqueue(event({ choices: [], usage }));
      controller.enqueue(new TextEncoder().encode("data: [DONE]\n\n"));
      controller.close();
    },
  });
}

/** A provider's stream that the test writes event by event, and that never ends. */
export function streamByHand(): { readonly response: Response; say(data: unknown): void; fail(): void } {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({ start: (made) => void (controller = made) });
  return {
    response: new Response(body, { headers: { "Content-Type": "text/event-stream" } }),
    say: (data) => controller?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(data)}\n\n`)),
    fail: () => controller?.error(new TypeError("terminated")),
  };
}

/** A model that calls a tool first, and then repeats its result. */
export function callOnce(name: string, given: unknown = {}): TestModel {
  return playModel(({ body }): ModelTurn => {
    const last = body.messages.at(-1);
    return last?.role === "tool"
      ? { text: `result: ${String(last.content)}` }
      : { calls: [{ name, arguments: given }] };
  });
}

/** The input schema of the tools in these tests. */
export const inputSchema = { type: "object", properties: { n: { type: "number" } } } as const;

export function serverTool(name: string, handler: AiToolHandler = () => `${name} ran`): AiTool {
  return { name, description: `the server's ${name}`, parameters: inputSchema, handler };
}

export const namesIn = (request: ModelRequest | undefined) =>
  request?.body.tools?.map((tool) => tool.function.name) ?? [];
