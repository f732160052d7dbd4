import type { AiContentPart, AiMessage, AiToolDecision } from "../element/index.ts";
import { contentOf } from "./model/prompt.ts";
import type { TalkAgent } from "./talk-agent.ts";

type Values = Pick<
  TalkAgent,
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
>;

const eventOf: Readonly<Partial<Record<keyof Values, string>>> = {
  toolCalls: "tool-calls-changed",
  notSaved: "not-saved-changed",
  usage: "usage-changed",
  error: "error",
};

interface Asked {
  readonly command: "send" | "edit" | "regenerate";
  readonly prompt: string | AiContentPart[];
  readonly from: string | undefined;
  readonly messageId?: string;
}

/** A fake of the element, controlled by the test. */
export class FakeAgent extends EventTarget implements TalkAgent {
  messages: AiMessage[] = [];
  content = "";
  reasoning = "";
  toolCalls: TalkAgent["toolCalls"] = [];
  loading = false;
  streaming = false;
  error: TalkAgent["error"] = null;
  connection: TalkAgent["connection"] = "open";
  conversation: string | null = "c1";
  notSaved: TalkAgent["notSaved"] = null;
  usage: TalkAgent["usage"] = null;
  model = "";
  keepModel: TalkAgent["keepModel"] = undefined;
  prompt: string | AiContentPart[] = "";
  from: string | undefined;
  keepOnFailure = false;
  id = "";
  readonly asked: Asked[] = [];
  readonly settled: (readonly [string, AiToolDecision])[] = [];
  #ids = 0;
  #before: AiMessage[] = [];
  #answer: { resolve(text: string | null): void; reject(error: Error): void } | undefined;

  constructor(values: Partial<Values> = {}) {
    super();
    Object.assign(this, values);
  }

  /** Changes values, and dispatches an event for each. */
  tell(values: Partial<Values>): void {
    Object.assign(this, values);
    for (const [name, detail] of Object.entries(values)) {
      const event = eventOf[name as keyof Values] ?? `${name}-changed`;
      this.dispatchEvent(new CustomEvent(`ai-agent:${event}`, { detail }));
    }
  }

  send(): Promise<string | null> {
    return this.#ask({ command: "send", prompt: this.prompt, from: this.from }, this.messages);
  }

  edit(messageId: string, prompt: string | AiContentPart[]): Promise<string | null> {
    const at = this.messages.findIndex(({ id }) => id === messageId);
    return this.#ask({ command: "edit", prompt, from: this.from, messageId }, this.messages.slice(0, at));
  }

  regenerate(): Promise<string | null> {
    const at = this.messages.findLastIndex(({ role }) => role === "user");
    const { content = "", from } = this.messages[at] ?? {};
    return this.#ask({ command: "regenerate", prompt: content, from }, this.messages.slice(0, at));
  }

  /** The answer is there. */
  answer(text: string): void {
    const messages: AiMessage[] = [...this.messages, { id: this.#newId(), role: "assistant", content: text }];
    this.tell({ content: text, streaming: false, messages, loading: false });
    this.#settle()?.resolve(text);
  }

  /** The answer failed; the conversation is restored, or has the partial answer if that is to be kept. */
  fail(error: TalkAgent["error"]): void {
    const said: AiMessage = { id: this.#newId(), role: "assistant", content: this.content };
    const isKept = this.keepOnFailure && this.content !== "";
    this.tell({ streaming: false, messages: isKept ? [...this.messages, said] : this.#before, error, loading: false });
    this.#settle()?.resolve(null);
  }

  /** The connection was lost for too long: the answer is abandoned, and the conversation remains as it was shown. */
  giveUp(error: NonNullable<TalkAgent["error"]>): void {
    this.tell({ streaming: false, error, loading: false });
    this.#settle()?.resolve(null);
  }

  /** The question was not even taken. */
  refuse(error: Error): void {
    this.tell({ messages: this.#before, loading: false });
    this.#settle()?.reject(error);
  }

  invoke(command: string): Promise<unknown> {
    return Promise.reject(new Error(`The fake has no command ${command}.`));
  }

  abort(): void {
    if (this.#answer) this.fail(null);
  }

  settleToolCall(callId: string, decision: AiToolDecision): boolean {
    this.settled.push([callId, decision]);
    return true;
  }

  #ask(asked: Asked, before: AiMessage[]): Promise<string | null> {
    this.asked.push(asked);
    this.#before = this.messages;
    const { prompt, from } = asked;
    const turn: AiMessage = { id: this.#newId(), role: "user", content: prompt, ...(from !== undefined && { from }) };
    const answer = new Promise<string | null>((resolve, reject) => (this.#answer = { resolve, reject }));
    this.tell({ loading: true, error: null, content: "", toolCalls: [], messages: [...before, turn] });
    return answer;
  }

  #settle() {
    const answer = this.#answer;
    this.#answer = undefined;
    return answer;
  }

  #newId(): string {
    this.#ids += 1;
    return `m${this.#ids}`;
  }
}

/** A user's turn and its answer, with ids of their own. */
export function exchange(id: string, question: string, answer: string): AiMessage[] {
  return [
    { id: `${id}-q`, role: "user", content: contentOf({ text: question, images: [] }) },
    { id: `${id}-a`, role: "assistant", content: answer, finishReason: "stop" },
  ];
}
