// How long a prompt waits for the app's tools, which may reach the hub shortly after it.
import type { TalkClock } from "../dom/clock.ts";
import type { TalkAgent } from "../talk-agent.ts";

/** Milliseconds that a user's question waits for the app's tools before it is sent without them. */
export const toolWait = 5000;

export interface ToolWaitOptions {
  readonly agent: Pick<TalkAgent, "connection">;
  /** Whether the hub has the tools that an answer may need. */
  readonly hasTools: () => boolean;
  readonly clock: Pick<TalkClock, "after">;
}

export interface ToolWait {
  /** Whether a prompt is waiting. */
  readonly isOn: boolean;
  /** Whether a prompt need not wait. */
  mayAsk(): boolean;
  /** Resolves with whether the prompt should still be sent. */
  begin(): Promise<boolean>;
  /** Cancels the waiting question. */
  giveUp(): void;
  /** The agent or the app has changed. */
  look(): void;
}

export function createToolWait({ agent, hasTools, clock }: ToolWaitOptions): ToolWait {
  /** Tools that did not come in time are not awaited again, until they are there. */
  let isPatient = true;
  let end: ((isWanted: boolean) => void) | undefined;
  /** Restarts the timeout of the tools. */
  let allowTime: (() => void) | undefined;
  let { connection } = agent;

  const isAway = () => agent.connection === "waiting" || agent.connection === "connecting";

  async function begin(): Promise<boolean> {
    const isWanted = new Promise<boolean>((resolve) => (end = resolve));
    let cancel = () => {};
    allowTime = () => {
      cancel();
      cancel = clock.after(toolWait, () => {
        isPatient = isAway();
        end?.(true);
      });
    };
    allowTime();
    try {
      const wanted = await isWanted;
      // The element would send it as soon as there is a hub, which is before its tools are there.
      if (wanted && isAway() && !hasTools()) throw new Error("The hub does not answer.");
      return wanted;
    } finally {
      cancel();
      end = undefined;
      allowTime = undefined;
    }
  }

  return {
    get isOn() {
      return end !== undefined;
    },
    mayAsk: () => hasTools() || !isPatient,
    begin,
    giveUp: () => end?.(false),
    look() {
      // Tools cannot arrive before the connection to the hub is open.
      if (agent.connection === "open" && connection !== "open") allowTime?.();
      connection = agent.connection;
      if (!hasTools()) return;
      isPatient = true;
      end?.(true);
    },
  };
}
