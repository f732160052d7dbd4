import type { Answer, AnswerFormat } from "./answer.ts";

/** Reads a whole answer once more, and returns its text. */
export type Reader = () => string | Promise<string>;

/** Prepares what can be prepared before the first reading. */
export type PrepareReader = (answer: Answer) => Reader;

/** Parsers alone, from pieces in memory or through a ReadableStream; or clients of a model, which ask for the answer. */
export type ReaderKind = "sync" | "stream" | "client";

export interface ReaderParameters {
  readonly kind: ReaderKind;
  /** As it stands in the rows. */
  readonly name: string;
  readonly format: AnswerFormat;
  readonly tokenCount: number;
}
