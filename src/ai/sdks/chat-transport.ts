// The AI SDK's ChatTransport over an AiCore or an `<ai-agent>`: `useChat` talks to what the page or the hub has.
import type { AiContentPart, AiRequestOptions, AiToolDecision } from "../types.ts";
import { toUIMessageStream } from "./ui-message-stream.ts";
import type { Talker, UIMessageChunk } from "./ui-message-stream.ts";

/** An AiCore: each question comes with its model and options. */
interface CoreTalker extends Talker {
  send(prompt: string | AiContentPart[], options: AiRequestOptions): Promise<string | null>;
  regenerate(options: AiRequestOptions): Promise<string | null>;
  settleToolCall(callId: string, decision: AiToolDecision): boolean;
}

/** An `<ai-agent>`: its attributes have the model and the options. */
interface ElementTalker extends Talker {
  prompt: string | AiContentPart[];
  send(): Promise<string | null>;
  regenerate(): Promise<string | null>;
  settleToolCall(callId: string, decision: AiToolDecision): boolean;
}

export interface UIMessageLike {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly ({ readonly type: string } & Readonly<Record<string, unknown>>)[];
}

interface SendMessages {
  readonly trigger: "submit-message" | "regenerate-message";
  readonly messages: readonly UIMessageLike[];
  readonly abortSignal: AbortSignal | undefined;
}

/** What `useChat({ transport })` takes. */
export interface AgentChatTransport {
  // oxlint-disable-next-line no-explicit-any -- each version of the SDK types its messages by generics of its own
  sendMessages(options: any): Promise<ReadableStream<any>>;
  /** An answer does not outlive its page here; a hub's conversation is opened by `<ai-agent>` itself. */
  reconnectToStream(): Promise<null>;
}

/**
 * The conversation is the agent's own: of `useChat`'s messages only the last is sent. `options` are for an AiCore; an element has
 * attributes.
 */
export function createChatTransport(agent: ElementTalker): AgentChatTransport;
export function createChatTransport(agent: CoreTalker, options: AiRequestOptions): AgentChatTransport;
export function createChatTransport(agent: ElementTalker | CoreTalker, options?: AiRequestOptions): AgentChatTransport {
  let asked: Promise<string | null> | undefined;

  function send(prompt: AiContentPart[]): Promise<string | null> {
    if (options) return (agent as CoreTalker).send(prompt, options);
    const element = agent as ElementTalker;
    element.prompt = prompt;
    return element.send();
  }

  function again(): Promise<string | null> {
    return options ? (agent as CoreTalker).regenerate(options) : (agent as ElementTalker).regenerate();
  }

  return {
    sendMessages({ trigger, messages, abortSignal: signal }: SendMessages): Promise<ReadableStream<UIMessageChunk>> {
      const last = messages.at(-1);
      const decided = last?.role === "assistant" ? decisionsIn(last) : [];
      const ask = () => {
        if (decided.length > 0 && asked) {
          for (const { id, decision } of decided) agent.settleToolCall(id, decision);
          return asked;
        }
        return (asked = trigger === "regenerate-message" ? again() : send(promptOf(last)));
      };
      return Promise.resolve(toUIMessageStream(agent, ask, { signal }));
    },
    reconnectToStream: () => Promise.resolve(null),
  };
}

function promptOf(message: UIMessageLike | undefined): AiContentPart[] {
  if (message?.role !== "user")
    throw new TypeError("The last message must be the user's, or have answers to approvals.");
  return message.parts.flatMap((part): AiContentPart[] => {
    if (part.type === "text") return [{ type: "text", text: String(part["text"]) }];
    if (part.type !== "file") return [];
    const { url, mediaType, filename } = part as Record<string, unknown>;
    const file = { url: String(url), mediaType: String(mediaType) };
    return [
      file.mediaType.startsWith("image/")
        ? { type: "image", ...file }
        : { type: "file", ...file, ...(typeof filename === "string" && { name: filename }) },
    ];
  });
}

function decisionsIn({ parts }: UIMessageLike): { id: string; decision: boolean }[] {
  return parts.flatMap(({ state, approval }) => {
    if (state !== "approval-responded") return [];
    const { id, approved } = approval as { readonly id: string; readonly approved: boolean };
    return [{ id, decision: approved }];
  });
}
