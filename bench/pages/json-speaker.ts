import { answerTo } from "./answers.ts";
import type { ToolArguments } from "./answers.ts";
import type { CreateSpeaker } from "./speaker.ts";

export interface JsonHello {
  readonly type: "hello";
  readonly tab: string;
  readonly tools: readonly object[];
}

interface JsonCall {
  readonly id: number;
  readonly tool: string;
  readonly arguments: ToolArguments;
}

export interface JsonAnswer {
  readonly type: "answer";
  readonly id: number;
  readonly result: unknown;
}

/** The page of a hub by hand: everything is one JSON object. */
export const createJsonSpeaker: CreateSpeaker = ({ tab, tools, send, ready }) => ({
  opened() {
    send(JSON.stringify({ type: "hello", tab, tools } satisfies JsonHello));
    ready();
  },
  receive(message) {
    const call = JSON.parse(message) as JsonCall;
    send(JSON.stringify({ type: "answer", id: call.id, result: answerTo(call.arguments) } satisfies JsonAnswer));
  },
});
