import type { AiAgent } from "../element/index.ts";

/** The part of `<ai-agent>` that the talk uses. */
export type TalkAgent = EventTarget &
  Pick<
    AiAgent,
    | "messages"
    | "content"
    | "reasoning"
    | "toolCalls"
    | "loading"
    | "streaming"
    | "error"
    | "connection"
    | "conversation"
    | "notSaved"
    | "usage"
    | "model"
    | "keepModel"
    | "prompt"
    | "keepOnFailure"
    | "send"
    | "edit"
    | "regenerate"
    | "abort"
    | "settleToolCall"
    | "id"
    | "invoke"
  > & {
    /** The app that sends the next prompt in the user's place; undefined for the user. */
    from: string | undefined;
  };
