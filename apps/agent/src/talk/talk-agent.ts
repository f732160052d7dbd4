import type { AiAgent } from "pagewire/ai-agent";

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
    | "prompt"
    | "keepOnFailure"
    | "send"
    | "edit"
    | "regenerate"
    | "abort"
    | "settleToolCall"
  > & {
    /** The app that sends the next prompt in the user's place; undefined for the user. */
    from: string | undefined;
  };
