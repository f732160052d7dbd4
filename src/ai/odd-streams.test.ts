import { expect, test, vi } from "vitest";
import { createConversation, settled } from "./model.test-helper.ts";
import { oddStreams } from "./odd-streams.test-fixture.ts";
import type { OddStream } from "./odd-streams.test-fixture.ts";

/** Pieces of the given number of bytes. */
function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.slice(at * size, (at + 1) * size));
}

/** Has a core read the stream in these pieces, and returns the results of its calls. */
async function read({ provider, refusals = [] }: OddStream, pieces: readonly Uint8Array[]) {
  const runs: object[] = [];
  const handler = vi.fn<(args: object) => void>((args) => void runs.push(args));
  const look = { name: "look", description: "Looks.", parameters: { type: "object" }, handler };
  const { core, model, send } = createConversation({ tools: [look] });
  core.provider = provider;
  const answer = send("Hi");
  const request = await model.next();
  request.stream();
  for (const piece of pieces) {
    request.write(piece);
    if (pieces.length < 100) await settled();
  }
  if (!request.isCancelled) request.close();
  // The model is asked again once its calls are done.
  await Promise.race([model.next(), answer]);
  const told = core.messages.filter(({ role, toolStatus }) => role === "tool" && toolStatus === "failed");
  expect(told.map(({ content }) => JSON.parse(content as string))).toEqual(
    refusals.map((error) => ({ error: expect.stringContaining(error) })),
  );
  const [, { content, finishReason } = {}] = core.messages;
  return { runs, content, finishReason, error: (core.error as Error | null)?.message };
}

test.each(oddStreams)(
  "a stream with $title ends in the calls that the model made, wherever it is cut",
  async (stream) => {
    const { text, runs, finishReason, error, content = error ? undefined : "" } = stream;
    const bytes = new TextEncoder().encode(text);
    for (const size of [bytes.length, Math.ceil(bytes.length / 2), 64, 7, 1]) {
      const answer = await read(stream, cut(bytes, size));
      expect(answer, `in pieces of ${size} bytes`).toEqual({ runs, content, finishReason, error });
    }
  },
);
