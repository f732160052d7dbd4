// Prompts on their way to the model: one at a time, with a queue of the app's prompts behind it, in order. Prompts that
// do not become part of the conversation are given back.
import { PagewireError } from "../../wire/index.ts";
import type { AiMessage } from "../../element/index.ts";
import type { TalkAgent } from "../talk-agent.ts";
import { contentOf } from "./prompt.ts";
import type { Prompt } from "./prompt.ts";
import { createToolWait } from "./tool-wait.ts";
import type { ToolWait, ToolWaitOptions } from "./tool-wait.ts";

/** Max queued messages of an app. */
export const MAX_QUEUED = 20;

const unanswered = "The connection was lost before there was an answer; what became of it is not known.";
const notKept = "The connection was lost, and the hub did not keep this; what became of it is not known.";

export interface OutboxOptions extends ToolWaitOptions {
  readonly agent: TalkAgent;
  /** The conversation's messages, without a copy for each access. */
  readonly messages: () => readonly AiMessage[];
  /** Prompts that the app sent before this window was reloaded: they wait for the user's approval. */
  readonly waiting?: readonly Prompt[];
  /** A prompt is about to be sent. */
  readonly prepare?: () => void;
  readonly onChange: () => void;
  /** The conversation did not accept the user's prompt; `conversation` is its intended conversation. */
  readonly giveBack: (prompt: Prompt, conversation: string | null) => void;
}

interface Sending {
  readonly prompt: Prompt | undefined;
  /** Its intended conversation. */
  readonly place: string | null;
  /** Gives the prompt back if the conversation did not accept it. */
  readonly lost: (conversation: string | null) => void;
  /** The messages that were there before. */
  readonly before: ReadonlySet<string | undefined>;
  isTaken: boolean;
  /** The user has left its conversation and does not want it back. */
  isForgotten: boolean;
}

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #agent: TalkAgent;
  readonly #tools: ToolWait;
  #queue: readonly Prompt[];
  #isHeld: boolean;
  #current: Sending | undefined;
  #problem: Error | undefined;
  #failed: Prompt | undefined;
  /** Prompts that seemed accepted before the connection was lost; the hub shows which it kept once that is back. */
  #doubtful: readonly Sending[] = [];
  #conversation: string | null;

  constructor(options: OutboxOptions) {
    const { agent, waiting = [] } = options;
    this.#options = options;
    this.#agent = agent;
    this.#tools = createToolWait(options);
    this.#queue = waiting;
    this.#isHeld = waiting.length > 0;
    this.#conversation = agent.conversation;
  }

  /** Sent, and not in the conversation yet. */
  get sending(): Prompt | undefined {
    return this.#current && !this.#current.isTaken ? this.#current.prompt : undefined;
  }

  /** Whether an answer is awaited, so that nothing else can be sent. */
  get isBusy(): boolean {
    return this.#current !== undefined || this.#agent.loading;
  }

  /** Whether a prompt waits for the app's tools. */
  get isWaiting(): boolean {
    return this.#tools.isOn;
  }

  get queue(): readonly Prompt[] {
    return this.#queue;
  }

  /** Whether the queue waits for the user: after a stop or a failure it does not continue automatically. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Why the last prompt could not be sent. */
  get problem(): Error | undefined {
    return this.#problem ?? this.#unansweredDoubt();
  }

  /** The prompt that the last failure returned. */
  get failed(): Prompt | undefined {
    return this.#failed;
  }

  /** False where an answer is awaited. */
  send(prompt: Prompt): boolean {
    if (this.isBusy) return false;
    void this.#send(prompt, this.#options.giveBack);
    return true;
  }

  /** Queues an app's message. False if the queue is full. */
  queueUp(prompt: Prompt): boolean {
    if (this.#queue.length >= MAX_QUEUED) return false;
    this.#setQueue([...this.#queue, prompt]);
    return true;
  }

  /** Sends the held queue. The user decided that: it does not wait for the app's tools. */
  release(): void {
    this.#isHeld = false;
    this.#sendNext(true);
    this.#options.onChange();
  }

  discard(prompt: Prompt): void {
    this.#setQueue(this.#queue.filter((one) => one !== prompt));
  }

  /** Replaces the text of a turn. Resolves with whether the conversation accepted it. */
  async edit(messageId: string, prompt: Prompt): Promise<boolean> {
    const ask = () => this.#speakAs(prompt.from, () => this.#agent.edit(messageId, contentOf(prompt)));
    const isKept = await this.#run(undefined, ask, (conversation) => this.#options.giveBack(prompt, conversation));
    this.#sendNext();
    return isKept;
  }

  /** Requests the newest answer again; does nothing while one is pending. */
  async regenerate(): Promise<void> {
    if (this.isBusy) return;
    await this.#run(undefined, () => this.#agent.regenerate());
    this.#sendNext();
  }

  stop(): void {
    if (this.#queue.length > 0) this.#isHeld = true;
    if (this.#tools.isOn) this.#tools.giveUp();
    else this.#agent.abort();
    this.#options.onChange();
  }

  /** The user begins another conversation: what is on its way or has failed is not given back. */
  forget(): void {
    if (this.#current) this.#current.isForgotten = true;
    [this.#problem, this.#failed, this.#doubtful] = [undefined, undefined, []];
    this.#tools.giveUp();
    this.#options.onChange();
  }

  /** The agent or the parent has changed. */
  look(): void {
    this.#followConversation();
    this.#tools.look();
    if (this.#current) this.#current.isTaken ||= this.#isTaken(this.#current);
    this.#settleDoubts();
    this.#sendNext();
  }

  close(): void {
    this.#tools.giveUp();
  }

  #isTaken({ before }: Sending): boolean {
    return this.#options.messages().some(({ role, id }) => role === "user" && !before.has(id));
  }

  #isUserLast(): boolean {
    return this.#options.messages().at(-1)?.role === "user";
  }

  /** Resolves with whether the conversation accepted the prompt. */
  async #run(
    prompt: Prompt | undefined,
    ask: () => Promise<string | null>,
    lost: Sending["lost"] = () => {},
  ): Promise<boolean> {
    const { messages, onChange, prepare } = this.#options;
    const place = this.#agent.conversation;
    const before = new Set(messages().map(({ id }) => id));
    const mine: Sending = { prompt, place, lost, before, isTaken: false, isForgotten: false };
    this.#current = mine;
    // The current messages are stored, and this may change them.
    if (this.#agent.connection === "open") this.#doubtful = [];
    [this.#problem, this.#failed] = [undefined, undefined];
    onChange();
    prepare?.();
    let answer: string | null = null;
    try {
      if (this.#tools.mayAsk() || (await this.#waitForTools())) answer = await ask();
    } catch (thrown) {
      this.#problem = thrown as Error;
    }
    const { conversation, connection } = this.#agent;
    // A prompt for another conversation is the hub's by now.
    const isHere = !mine.isForgotten && (place === null || conversation === place);
    if (!isHere) this.#problem = undefined;
    const isKept = answer !== null || mine.isForgotten || (isHere ? this.#isTaken(mine) : mine.isTaken);
    this.#current = undefined;
    if (answer === null && this.#queue.length > 0) this.#isHeld = true;
    if (!isKept && isHere) this.#failed = prompt;
    if (isKept && answer === null && connection !== "open" && !mine.isForgotten) {
      this.#doubtful = [...this.#doubtful, { ...mine, place: place ?? conversation }];
    }
    onChange();
    return isKept;
  }

  /**
   * The hub is back: prompts that it did not keep are given back. It may report that later, so a prompt remains
   * doubtful until it is answered.
   */
  #settleDoubts(): void {
    if (this.#doubtful.length === 0 || this.#agent.connection !== "open") return;
    const here = this.#doubtful.filter(({ place }) => place === this.#agent.conversation);
    this.#doubtful = here.filter((one) => this.#isTaken(one) && this.#isUserLast());
    for (const one of here.filter((one) => !this.#isTaken(one))) {
      this.#problem = new PagewireError("outcome-unknown", notKept);
      this.#failed = one.prompt;
      one.lost(one.place);
    }
  }

  /** Sent by this window, and in the conversation without a pending answer. */
  #unansweredDoubt(): Error | undefined {
    const { connection, loading, conversation } = this.#agent;
    const isOver = connection === "open" && !loading && this.#isUserLast();
    const isHere = this.#doubtful.some((one) => one.place === conversation && this.#isTaken(one));
    return isOver && isHere ? new PagewireError("outcome-unknown", unanswered) : undefined;
  }

  async #waitForTools(): Promise<boolean> {
    const isWanted = this.#tools.begin();
    this.#options.onChange();
    return isWanted;
  }

  /** The element reads the speaker during the call. */
  #speakAs(from: string | undefined, ask: () => Promise<string | null>): Promise<string | null> {
    this.#agent.from = from;
    try {
      return ask();
    } finally {
      this.#agent.from = undefined;
    }
  }

  async #send(prompt: Prompt, lost: OutboxOptions["giveBack"]): Promise<void> {
    const place = this.#agent.conversation;
    const giveBackTo = (conversation: string | null) => lost(prompt, conversation);
    const ask = () => {
      this.#agent.prompt = contentOf(prompt);
      return this.#speakAs(prompt.from, () => this.#agent.send());
    };
    if (!(await this.#run(prompt, ask, giveBackTo))) giveBackTo(place);
    this.#sendNext();
  }

  #sendNext(isWanted = this.#tools.mayAsk()): void {
    const [first, ...rest] = this.#queue;
    if (first === undefined || this.#isHeld || this.isBusy || !isWanted) return;
    this.#queue = rest;
    void this.#send(first, () => {
      this.#queue = [first, ...this.#queue];
      this.#isHeld = true;
      this.#options.onChange();
    });
  }

  /** Failures and queued prompts of another conversation do not belong to this one. */
  #followConversation(): void {
    const before = this.#conversation;
    this.#conversation = this.#agent.conversation;
    if (before === null || before === this.#conversation) return;
    [this.#problem, this.#failed] = [undefined, undefined];
    this.#tools.giveUp();
  }

  #setQueue(prompts: readonly Prompt[]): void {
    this.#queue = prompts;
    if (prompts.length === 0) this.#isHeld = false;
    this.#options.onChange();
    this.#sendNext();
  }
}
