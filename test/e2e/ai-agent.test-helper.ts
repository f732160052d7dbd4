/** An OpenAI-compatible model, as a `fetch`, whose one answer the test sends bit by bit. */
export function createHeldModel() {
  const encoder = new TextEncoder();
  const asked: ReadableStreamDefaultController<Uint8Array>[] = [];
  const waiting: (() => void)[] = [];
  let count = 0;

  const answer: typeof fetch = async () => {
    count += 1;
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void asked.push(controller) });
    for (const resolve of waiting.splice(0)) resolve();
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };

  async function current(): Promise<ReadableStreamDefaultController<Uint8Array>> {
    for (;;) {
      const [controller] = asked;
      if (controller) return controller;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  }

  async function send(...events: (object | string)[]): Promise<void> {
    const controller = await current();
    for (const event of events) {
      const data = typeof event === "string" ? event : JSON.stringify(event);
      controller.enqueue(encoder.encode(`data: ${data}\n\n`));
    }
  }

  const part = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });
  return {
    fetch: answer,
    get count() {
      return count;
    },
    say: (text: string) => send(part(text)),
    async end(text: string) {
      await send(part(text), { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }, "[DONE]");
      asked.shift()?.close();
    },
  };
}
