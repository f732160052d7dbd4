import { expect, test, vi } from "vitest";
import type { AiModel, IAiProvider } from "../../../ai/index.ts";
import { resolveAiOptions } from "../../options/ai-options.ts";
import { createModelList } from "./model-list.ts";

/** A provider whose lists the test answers. */
function setUp() {
  const asked: ((models: AiModel[]) => void)[] = [];
  const unused = () => {
    throw new Error("Only its models are asked for.");
  };
  const provider: IAiProvider = {
    ...{ buildRequest: unused, parseResponse: unused, parseStreamChunk: unused },
    models: () => new Promise((resolve) => asked.push(resolve)),
  };
  const time = { now: 0 };
  const list = createModelList(resolveAiOptions({ provider, model: "own" }), fetch, () => time.now);
  return { asked, list, time };
}

const own = { id: "own", name: "own" };
const other = { id: "other", name: "Other" };

test("a list is used for a minute; what is asked for until it is there waits for the same one", async () => {
  const { asked, list, time } = setUp();
  const [one, two] = [list.read(), list.read()];
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.([other]);
  expect(await one).toEqual({ models: [own, other], problem: null });
  expect(await two).toBe(await one);
  time.now = 60_000;
  const three = list.read();
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  asked[1]?.([]);
  expect(await three).toEqual({ models: [own], problem: null });
});

test("a provider that does not answer is asked once, however often the model is chosen or a minute is over", async () => {
  const { asked, list, time } = setUp();
  const first = list.read();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  const later = Array.from({ length: 20 }, (_, at) => {
    time.now += 60_000;
    if (at % 2 === 0) list.forget();
    return list.read();
  });
  expect(asked).toHaveLength(1);
  asked[0]?.([]);
  await first;
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  asked[1]?.([other]);
  for (const read of later) expect((await read).models).toEqual([own, other]);
  expect(asked).toHaveLength(2);
});
