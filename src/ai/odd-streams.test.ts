import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { createConversation, settled } from "./model.test-helper.ts";
import { cutCalls, oddStreams } from "./odd-streams.test-fixture.ts";
import type { OddStream } from "./odd-streams.test-fixture.ts";
import { vendorStreams } from "./vendor-streams.test-fixture.ts";

const streams = [...oddStreams, ...vendorStreams];

function bytesOf({ text }: OddStream): Uint8Array {
  return typeof text === "string" ? new TextEncoder().encode(text) : new Uint8Array(text);
}

/** Pieces of the given number of bytes. */
function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.slice(at * size, (at + 1) * size));
}

/** Has a core read the stream in these pieces, and returns the results of its calls. */
async function read({ provider, contentType }: OddStream, pieces: readonly Uint8Array[]) {
  const runs: object[] = [];
  const handler = vi.fn<(args: object) => void>((args) => void runs.push(args));
  const look = { name: "look", description: "Looks.", parameters: { type: "object" }, handler };
  const { core, model, send } = createConversation({ tools: [look], baseUrl: "https://vendor.test" });
  core.provider = provider;
  const answer = send("Hi");
  const request = await model.next();
  if (contentType === undefined) request.stream();
  else request.streamAs(contentType);
  for (const piece of pieces) {
    request.write(piece);
    if (pieces.length < 100) await settled();
  }
  if (!request.isCancelled) request.close();
  // The model is asked again once its calls are done.
  await Promise.race([model.next(), answer]);
  const refusals = core.messages.filter(({ role, toolStatus }) => role === "tool" && toolStatus === "failed");
  const [, { content, reasoning, finishReason } = {}] = core.messages;
  const error = core.error instanceof Error ? core.error.message : core.error && `HTTP ${core.error.status}`;
  return {
    ...{ runs, content, reasoning, finishReason, error: error ?? undefined, tokens: core.usage?.totalTokens },
    refusals: refusals.map((message) => (JSON.parse(message.content as string) as { error: string }).error),
  };
}

type Found = Awaited<ReturnType<typeof read>>;

/** All that must come of a stream. Its usage counts where it is written down. */
function wholeOf({ runs, refusals = [], content, ...stream }: OddStream, { tokens }: Found): Found {
  const { finishReason, reasoning, error } = stream;
  return {
    ...{ runs: [...runs], finishReason, reasoning, error, tokens: stream.tokens ?? tokens },
    content: content ?? (error === undefined ? "" : undefined),
    refusals: refusals.map((words) => expect.stringContaining(words) as string),
  };
}

async function expectWhole(stream: OddStream, pieces: readonly Uint8Array[]): Promise<void> {
  const found = await read(stream, pieces);
  expect(found).toEqual(wholeOf(stream, found));
}

/** All that may come of a stream that ended too early. */
const nothing = { runs: [], refusals: [], content: undefined, reasoning: undefined, finishReason: undefined };

test.each(streams)("a stream with $title ends in the calls that the model made, wherever it is cut", async (stream) => {
  const bytes = bytesOf(stream);
  for (const size of [bytes.length, Math.ceil(bytes.length / 2), 64, 7, 1]) await expectWhole(stream, cut(bytes, size));
  const places = fc.uniqueArray(fc.nat(bytes.length - 1), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(places, async (given) => {
      const cuts = [0, ...given.toSorted((one, other) => one - other), bytes.length];
      const pieces = cuts.slice(1).map((end, at) => bytes.slice(cuts[at], end));
      await expectWhole(stream, pieces);
    }),
    { numRuns: 10 },
  );
});

test.each(streams)("a stream with $title that ends too early is an error, and no call of it runs", async (stream) => {
  const bytes = bytesOf(stream);
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), async (length) => {
      const found = await read(stream, [bytes.slice(0, length)]);
      // Its end may be there before the stream's, without the usage behind it.
      const whole = { ...wholeOf(stream, found), tokens: found.tokens };
      expect(found).toEqual(found.error === undefined ? whole : { ...found, ...nothing });
    }),
    { numRuns: 40 },
  );
  expect((await read(stream, [bytes.slice(0, bytes.length / 3)])).error).toBeDefined();
});

test.each(cutCalls)("$title: a call runs with all of its arguments, or not at all", async ({ streamOf }) => {
  const json = '{"city":"Rome","days":[1,{"a":{}}]}';
  for (let length = 0; length <= json.length; length++) {
    for (const isCut of [true, false]) {
      const stream = streamOf(json.slice(0, length), isCut);
      const { runs, refusals } = await read(stream, [bytesOf(stream)]);
      // Without a word of the cut, nothing tells a call without arguments from one that ends before their first byte.
      const args = length === json.length ? json : length === 0 && !isCut ? "{}" : undefined;
      expect([runs, refusals.length]).toEqual(args === undefined ? [[], 1] : [[JSON.parse(args)], 0]);
    }
  }
});
