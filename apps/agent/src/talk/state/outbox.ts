// Prompts on their way to the model: one at a time, with a queue of the app's prompts behind it, in order. Prompts that
// do not become part of the conversation are given back.
import { PagewireError } from "pagewire/wire";
import type { AiMessage } from "pagewire/ai-agent";
import type { TalkAgent } from "../talk-agent.ts";
import { contentOf } from "./prompt.ts";
import type { Prompt } from "./prompt.ts";
import { createToolWait } from "./tool-wait.ts";
import type { ToolWaitOptions } from "./tool-wait.ts";

/** Max queued messages of an app. */
export const mostQueued = 20;

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

export interface Outbox {
  /** Sent, and not in the conversation yet. */
  readonly sending: Prompt | undefined;
  /** Whether an answer is awaited, so that nothing else can be sent. */
  readonly isBusy: boolean;
  /** Whether a prompt waits for the app's tools. */
  readonly isWaiting: boolean;
  readonly queue: readonly Prompt[];
  /** Whether the queue waits for the user: after a stop or a failure it does not continue automatically. */
  readonly isHeld: boolean;
  /** Why the last prompt could not be sent. */
  readonly problem: Error | undefined;
  /** The prompt that the last failure returned. */
  readonly failed: Prompt | undefined;
  /** False where an answer is awaited. */
  send(prompt: Prompt): boolean;
  /** Queues an app's message. False if the queue is full. */
  queueUp(prompt: Prompt): boolean;
  release(): void;
  discard(prompt: Prompt): void;
  /** Puts other words in place of a turn. Resolves with whether the conversation took them. */
  edit(messageId: string, prompt: Prompt): Promise<boolean>;
  /** Requests the newest answer again; does nothing while one is pending. */
  regenerate(): Promise<void>;
  stop(): void;
  /** The agent or the parent has changed. */
  look(): void;
  close(): void;
}

interface Going {
  readonly prompt: Prompt | undefined;
  /** The conversation that it was meant for. */
  readonly place: string | null;
  /** Gives the prompt back if the conversation did not accept it. */
  readonly lost: (conversation: string | null) => void;
  /** The messages that were there before. */
  readonly before: ReadonlySet<string | undefined>;
  isTaken: boolean;
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { agent, messages, waiting = [], prepare = () => {}, onChange, giveBack } = options;
  const tools = createToolWait(options);
  let queue: readonly Prompt[] = waiting;
  let isHeld = waiting.length > 0;
  let going: Going | undefined;
  let problem: Error | undefined;
  let failed: Prompt | undefined;
  /** Prompts that seemed accepted before the connection was lost; the hub shows which it kept once that is back. */
  let doubtful: readonly Going[] = [];
  let { conversation } = agent;

  const isBusy = () => going !== undefined || agent.loading;
  const isTaken = ({ before }: Going) => messages().some(({ role, id }) => role === "user" && !before.has(id));

  /** Resolves with whether the conversation accepted the prompt. */
  async function run(
    prompt: Prompt | undefined,
    ask: () => Promise<string | null>,
    lost: Going["lost"] = () => {},
  ): Promise<boolean> {
    const place = agent.conversation;
    const mine: Going = { prompt, place, lost, before: new Set(messages().map(({ id }) => id)), isTaken: false };
    going = mine;
    // The current messages are stored, and this may change them.
    if (agent.connection === "open") doubtful = [];
    [problem, failed] = [undefined, undefined];
    onChange();
    prepare();
    let answer: string | null = null;
    try {
      if (tools.mayAsk() || (await waitForTools())) answer = await ask();
    } catch (thrown) {
      problem = thrown as Error;
    }
    // A prompt for another conversation is the hub's by now.
    const isHere = place === null || agent.conversation === place;
    if (!isHere) problem = undefined;
    const isKept = answer !== null || (isHere ? isTaken(mine) : mine.isTaken);
    going = undefined;
    if (answer === null && queue.length > 0) isHeld = true;
    if (!isKept && isHere) failed = prompt;
    if (isKept && answer === null && agent.connection !== "open") {
      doubtful = [...doubtful, { ...mine, place: place ?? agent.conversation }];
    }
    onChange();
    return isKept;
  }

  /**
   * The hub is back: prompts that it did not keep are given back. It may report that later, so a prompt remains
   * doubtful until it is answered.
   */
  function settleDoubts(): void {
    if (doubtful.length === 0 || agent.connection !== "open") return;
    const here = doubtful.filter(({ place }) => place === agent.conversation);
    doubtful = here.filter((one) => isTaken(one) && messages().at(-1)?.role === "user");
    for (const one of here.filter((one) => !isTaken(one))) {
      problem = new PagewireError("outcome-unknown", notKept);
      failed = one.prompt;
      one.lost(one.place);
    }
  }

  /** Sent by this window, and in the conversation without a pending answer. */
  function unansweredDoubt(): Error | undefined {
    const isOver = agent.connection === "open" && !agent.loading && messages().at(-1)?.role === "user";
    const isHere = doubtful.some((one) => one.place === agent.conversation && isTaken(one));
    return isOver && isHere ? new PagewireError("outcome-unknown", unanswered) : undefined;
  }

  async function waitForTools(): Promise<boolean> {
    const isWanted = tools.begin();
    onChange();
    return isWanted;
  }

  /** The element reads the speaker while it is asked. */
  function speakingAs(from: string | undefined, ask: () => Promise<string | null>): Promise<string | null> {
    agent.from = from;
    try {
      return ask();
    } finally {
      agent.from = undefined;
    }
  }

  async function say(prompt: Prompt, lost: (prompt: Prompt, conversation: string | null) => void): Promise<void> {
    const place = agent.conversation;
    const giveBackTo = (conversation: string | null) => lost(prompt, conversation);
    const ask = () => {
      agent.prompt = contentOf(prompt);
      return speakingAs(prompt.from, () => agent.send());
    };
    if (!(await run(prompt, ask, giveBackTo))) giveBackTo(place);
    next();
  }

  function next(isWanted = tools.mayAsk()): void {
    const [first, ...rest] = queue;
    if (first === undefined || isHeld || isBusy() || !isWanted) return;
    queue = rest;
    void say(first, () => {
      queue = [first, ...queue];
      isHeld = true;
      onChange();
    });
  }

  /** Failures and queued prompts of another conversation do not belong to this one. */
  function follow(): void {
    const isOther = conversation !== null && agent.conversation !== conversation;
    conversation = agent.conversation;
    if (!isOther) return;
    [problem, failed] = [undefined, undefined];
    tools.giveUp();
  }

  function setQueue(prompts: readonly Prompt[]): void {
    queue = prompts;
    if (queue.length === 0) isHeld = false;
    onChange();
    next();
  }

  return {
    get sending() {
      return going && !going.isTaken ? going.prompt : undefined;
    },
    get isBusy() {
      return isBusy();
    },
    get isWaiting() {
      return tools.isOn;
    },
    get queue() {
      return queue;
    },
    get isHeld() {
      return isHeld;
    },
    get problem() {
      return problem ?? unansweredDoubt();
    },
    get failed() {
      return failed;
    },
    send(prompt) {
      if (isBusy()) return false;
      void say(prompt, giveBack);
      return true;
    },
    queueUp(prompt) {
      if (queue.length >= mostQueued) return false;
      setQueue([...queue, prompt]);
      return true;
    },
    release() {
      isHeld = false;
      // The user's word: it waits for the app's tools no longer than the user's own.
      next(true);
      onChange();
    },
    discard: (prompt) => setQueue(queue.filter((one) => one !== prompt)),
    async edit(messageId, prompt) {
      const ask = () => speakingAs(prompt.from, () => agent.edit(messageId, contentOf(prompt)));
      const isKept = await run(undefined, ask, (conversation) => giveBack(prompt, conversation));
      next();
      return isKept;
    },
    async regenerate() {
      if (isBusy()) return;
      await run(undefined, () => agent.regenerate());
      next();
    },
    stop() {
      if (queue.length > 0) isHeld = true;
      if (tools.isOn) tools.giveUp();
      else agent.abort();
      onChange();
    },
    look() {
      follow();
      tools.look();
      if (going) going.isTaken ||= isTaken(going);
      settleDoubts();
      next();
    },
    close: tools.giveUp,
  };
}
