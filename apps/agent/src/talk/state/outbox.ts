// What is on its way to the model: one prompt at a time, and behind it those that the app sent meanwhile, in order. Whatever
// does not become part of the conversation is given back.
import type { AiMessage } from "pagewire/ai-agent";
import type { TalkClock } from "../clock.ts";
import type { TalkAgent } from "../talk-agent.ts";
import { contentOf } from "./prompt.ts";
import type { Prompt } from "./prompt.ts";

/** As many of an app's messages as wait for their turn. */
export const mostQueued = 20;

/** For so many milliseconds a question of the user's waits for the app's tools; then it is asked without them. */
export const toolWait = 5000;

export interface OutboxOptions {
  readonly agent: TalkAgent;
  /** The conversation's, without a copy for each look. */
  readonly messages: () => readonly AiMessage[];
  /** What the app sent before this window was loaded again: it waits for the user's word. */
  readonly waiting?: readonly Prompt[];
  /** Whether the hub has the app's tools by now, where an app is beside this window: an answer may need them. */
  readonly hasTools: () => boolean;
  readonly clock: Pick<TalkClock, "after">;
  readonly onChange: () => void;
  /** A prompt of the user's that the conversation did not take; `conversation` is where it was meant for. */
  readonly giveBack: (prompt: Prompt, conversation: string | null) => void;
}

export interface Outbox {
  /** What was sent, and is not in the conversation yet. */
  readonly sending: Prompt | undefined;
  /** Whether an answer is awaited, so that nothing else can be sent. */
  readonly isBusy: boolean;
  /** Whether what is asked waits for the app's tools. */
  readonly isWaiting: boolean;
  readonly queue: readonly Prompt[];
  /** Whether the queue waits for the user: after a stop or a failure nothing goes on by itself. */
  readonly isHeld: boolean;
  /** What kept the last prompt from being sent at all. */
  readonly problem: Error | undefined;
  /** What the last failure gave back. */
  readonly failed: Prompt | undefined;
  /** False where an answer is awaited. */
  send(prompt: Prompt): boolean;
  /** Sends an app's message when its turn comes. False where too many wait already. */
  queueUp(prompt: Prompt): boolean;
  release(): void;
  discard(prompt: Prompt): void;
  /** Puts other words in place of a turn. Resolves with whether the conversation took them. */
  edit(messageId: string, prompt: Prompt): Promise<boolean>;
  /** Asks for the newest answer once more; does nothing while one is awaited. */
  regenerate(): Promise<void>;
  stop(): void;
  /** The agent or the parent has changed. */
  look(): void;
  close(): void;
}

interface Going {
  readonly prompt: Prompt | undefined;
  /** The messages that were there before. */
  readonly before: ReadonlySet<string | undefined>;
  isTaken: boolean;
  /** Set while the app's tools are awaited: goes on, or with false gives it up. */
  proceed?: ((isWanted: boolean) => void) | undefined;
  /** Begins anew the time that the tools have. */
  allowTime?: () => void;
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { agent, messages, waiting = [], hasTools, clock, onChange, giveBack } = options;
  let queue: readonly Prompt[] = waiting;
  let isHeld = waiting.length > 0;
  let going: Going | undefined;
  let problem: Error | undefined;
  let failed: Prompt | undefined;
  /** Tools that did not come in time are not awaited again, until they are there. */
  let isPatient = true;
  let { conversation, connection } = agent;

  const mayAsk = () => hasTools() || !isPatient;
  const isAway = () => agent.connection === "waiting" || agent.connection === "connecting";
  const isBusy = () => going !== undefined || agent.loading;
  const isTaken = ({ before }: Going) => messages().some(({ role, id }) => role === "user" && !before.has(id));

  /** Resolves with whether the conversation took what was said. */
  async function run(prompt: Prompt | undefined, ask: () => Promise<string | null>): Promise<boolean> {
    const place = agent.conversation;
    const mine: Going = { prompt, before: new Set(messages().map(({ id }) => id)), isTaken: false };
    going = mine;
    [problem, failed] = [undefined, undefined];
    onChange();
    let answer: string | null = null;
    try {
      if (mayAsk() || (await waitForTools(mine))) answer = await ask();
    } catch (thrown) {
      problem = thrown as Error;
    }
    // What went into another conversation than the one on show is the hub's by now.
    const isHere = place === null || agent.conversation === place;
    if (!isHere) problem = undefined;
    const isKept = answer !== null || (isHere ? isTaken(mine) : mine.isTaken);
    going = undefined;
    if (answer === null && queue.length > 0) isHeld = true;
    if (!isKept && isHere) failed = prompt;
    onChange();
    return isKept;
  }

  /** Resolves with whether it is still to be asked. */
  async function waitForTools(mine: Going): Promise<boolean> {
    const isWanted = new Promise<boolean>((resolve) => (mine.proceed = resolve));
    let cancel = () => {};
    mine.allowTime = () => {
      cancel();
      cancel = clock.after(toolWait, () => {
        isPatient = isAway();
        mine.proceed?.(true);
      });
    };
    mine.allowTime();
    onChange();
    try {
      const wanted = await isWanted;
      // The element would send it as soon as there is a hub, which is before its tools are there.
      if (wanted && isAway() && !hasTools()) throw new Error("The hub does not answer.");
      return wanted;
    } finally {
      cancel();
      delete mine.allowTime;
      mine.proceed = undefined;
    }
  }

  /** The element reads who speaks while it is asked. */
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
    const isKept = await run(prompt, () => {
      agent.prompt = contentOf(prompt);
      return speakingAs(prompt.from, () => agent.send());
    });
    if (!isKept) lost(prompt, place);
    next();
  }

  function next(isWanted = mayAsk()): void {
    const [first, ...rest] = queue;
    if (first === undefined || isHeld || isBusy() || !isWanted) return;
    queue = rest;
    void say(first, () => {
      queue = [first, ...queue];
      isHeld = true;
      onChange();
    });
  }

  /** What went wrong in another conversation is not told in this one, and what waits there is not asked here. */
  function follow(): void {
    const isOther = conversation !== null && agent.conversation !== conversation;
    conversation = agent.conversation;
    if (!isOther) return;
    [problem, failed] = [undefined, undefined];
    going?.proceed?.(false);
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
      return going?.proceed !== undefined;
    },
    get queue() {
      return queue;
    },
    get isHeld() {
      return isHeld;
    },
    get problem() {
      return problem;
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
      const ask = () => agent.edit(messageId, contentOf(prompt));
      const isKept = await run(undefined, () => speakingAs(prompt.from, ask));
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
      if (going?.proceed) going.proceed(false);
      else agent.abort();
      onChange();
    },
    look() {
      follow();
      // Tools cannot come before there is a way to the hub.
      if (agent.connection === "open" && connection !== "open") going?.allowTime?.();
      connection = agent.connection;
      if (hasTools()) {
        isPatient = true;
        going?.proceed?.(true);
      }
      if (going) going.isTaken ||= isTaken(going);
      next();
    },
    close: () => going?.proceed?.(false),
  };
}
