import type { AiToolCallState, AiUsage } from "../../element/index.ts";
import type { Prompt } from "./prompt.ts";
import type { Source } from "./sources.ts";

/** One entry of the conversation. Its `key` is the same while it streams and when it is done. */
export type Turn = PromptTurn | AnswerTurn | CallTurn;

export interface PromptTurn extends Prompt {
  readonly kind: "prompt";
  readonly key: string;
  /** Undefined until the conversation has it. */
  readonly id: string | undefined;
}

export interface AnswerTurn {
  readonly kind: "answer";
  readonly key: string;
  /** Undefined until the conversation has it. */
  readonly id: string | undefined;
  readonly text: string;
  readonly reasoning: string;
  /** Pictures that the model made: `data:` URLs, or `https:`. */
  readonly images: readonly string[];
  readonly isStreaming: boolean;
  readonly sources: readonly Source[];
  /** Why the model stopped, where that is not plain to see. */
  readonly remark: string | undefined;
  /** At the end of an answer: its whole text, also before and between its tool calls. */
  readonly whole: string | undefined;
  readonly isNewest: boolean;
  /** At the end of an answer: the model that gave it, and its tokens, where they are known. */
  readonly model?: string | undefined;
  readonly usage?: AiUsage | undefined;
}

export interface CallTurn {
  readonly kind: "call";
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly title: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
  readonly status: AiToolCallState["status"] | "stopped";
  readonly approval: AiToolCallState["approval"];
  readonly decidedIn?: AiToolCallState["decidedIn"] | undefined;
  readonly result: string | undefined;
}
