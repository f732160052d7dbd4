import type { Worker } from "../harness/role.ts";
import { answerOf, tokensOf } from "./answer.ts";
import type { PrepareReader, ReaderKind, ReaderParameters } from "./reader.ts";

const tables: Record<ReaderKind, () => Promise<Readonly<Record<string, PrepareReader>>>> = {
  sync: async () => (await import("./sse-readers.ts")).syncReaders,
  stream: async () => (await import("./sse-readers.ts")).streamReaders,
  client: async () => (await import("./answer-readers.ts")).answerReaders,
};

/** A process that reads one answer over and over. */
export async function startReader({ kind, name, format, tokenCount }: ReaderParameters): Promise<Worker> {
  const answer = answerOf(format, tokensOf(tokenCount));
  const prepare = (await tables[kind]())[name];
  if (!prepare) throw new Error(`No reader of the kind "${kind}" is named "${name}".`);
  const read = prepare(answer);
  return {
    async work() {
      const text = await read();
      if (text !== answer.text) throw new Error(`"${name}" read ${text.length} characters, not ${answer.text.length}.`);
    },
  };
}
