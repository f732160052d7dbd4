import { signal } from "@preact/signals";
import { expect, test, vi } from "vitest";
import { createInbox } from "./inbox.ts";

function streamOf() {
  let push: (text: string) => void = () => {};
  let end = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      push = (text) => controller.enqueue(new TextEncoder().encode(text));
      end = () => controller.close();
    },
  });
  return { response: new Response(body), push: (text: string) => push(text), end: () => end() };
}

const listText = (...ids: readonly string[]) =>
  `event: message\ndata: ${JSON.stringify({ waits: ids.map((id) => ({ id })), more: 1, ended: [], mayAnswer: true })}\n\n`;

test("each event is the whole list, however it is cut, and the newest of several counts; a stream that ends is opened again", async () => {
  const streams = [streamOf(), streamOf()];
  let opened = 0;
  const send = vi.fn<() => Promise<Response>>(
    async () => streams[opened++]?.response ?? new Response("", { status: 500 }),
  );
  const waiting = signal(0);
  const session = { bearer: async () => "token", request: vi.fn<() => Promise<object>>(async () => ({})) };
  const inbox = createInbox(session, { waiting }, send as unknown as typeof fetch);
  expect(inbox.waits.value).toBeUndefined();
  await vi.waitFor(() => expect(opened).toBe(1));
  streams[0]?.push(listText("a") + listText("a", "b").slice(0, 30));
  await vi.waitFor(() => expect(inbox.waits.value).toEqual([{ id: "a" }]));
  streams[0]?.push(listText("a", "b").slice(30));
  await vi.waitFor(() => expect([inbox.waits.value?.length, waiting.value]).toEqual([2, 3]));
  streams[0]?.end();
  await vi.waitFor(() => expect(inbox.problem.value).toBe("The hub ended the connection."));
  await vi.waitFor(() => expect(opened).toBe(2));
  streams[1]?.push(listText());
  await vi.waitFor(() => expect([inbox.waits.value, inbox.problem.value]).toEqual([[], undefined]));
  await inbox.answer({ id: "a/b" } as never, { answer: "allow" });
  expect(session.request).toHaveBeenCalledWith("POST", "/api/waits/a%2Fb", { answer: "allow" });
  inbox.close();
  streams[1]?.end();
  await new Promise((resolve) => setTimeout(resolve));
  expect([opened, inbox.problem.value]).toEqual([2, undefined]);
});
