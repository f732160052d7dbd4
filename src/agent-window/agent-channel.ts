// The way from the page to the agent's window: over the window, or over a port that one of ours was given. It takes
// messages of exactly that window at exactly that origin, and knows nothing of what they mean.
import type { Envelope, FromAgent, FromParent } from "./messages.ts";
import { readFromAgent } from "./read-message.ts";
import type { Reading } from "./read-message.ts";
import { createPortBatch, messagesIn } from "./port-batch.ts";
import type { PortBatch } from "./port-batch.ts";

/** What the agent said, readable or not. */
export type AgentSaid = Exclude<Reading<FromAgent>, { kind: "foreign" }>;

/** The way back to where a message came from. */
export interface AgentSender {
  /** Whether there is a port, which only an agent of ours has. */
  readonly hasPort: boolean;
  post(message: Envelope<FromParent>): void;
}

export interface AgentChannelOptions {
  readonly self: Pick<Window, "addEventListener" | "removeEventListener">;
  readonly origin: string;
  /** The agent's window now. */
  target(): Window | null;
  heard(said: AgentSaid, sender: AgentSender): void;
  /** The window spoke from another origin: it shows another page. */
  strayed(): void;
}

export interface AgentChannel {
  /** Sends over the port where there is one. */
  post(message: Envelope<FromParent>): void;
  postToWindow(message: Envelope<FromParent>): void;
  /** Gives the agent a port for this nonce; false where it was given one. */
  givePort({ nonce, batches }: FromAgent["agent_ready"]): boolean;
  dropPort(): void;
  close(): void;
}

export function createAgentChannel({ self, origin, target, heard, strayed }: AgentChannelOptions): AgentChannel {
  let port: PortBatch | undefined;
  let usedNonce: string | undefined;

  function take(data: unknown, sender: AgentSender): void {
    const said = readFromAgent(data);
    if (said.kind !== "foreign") heard(said, sender);
  }

  function hearWindow({ data, origin: from, source }: MessageEvent): void {
    if (source === null || source !== target()) return;
    if (from !== origin) return strayed();
    const portThen = port;
    take(data, {
      get hasPort() {
        return port !== undefined;
      },
      // Who has a port and asks over the window has lost it.
      post: (message) => (port === portThen ? postToWindow(message) : post(message)),
    });
  }

  function post(message: Envelope<FromParent>): void {
    if (port) port.post(message);
    else postToWindow(message);
  }

  function postToWindow(message: Envelope<FromParent>): void {
    target()?.postMessage(message, origin);
  }

  function dropPort(): void {
    port?.close();
    port = undefined;
    usedNonce = undefined;
  }

  self.addEventListener("message", hearWindow);

  return {
    post,
    postToWindow,
    givePort({ nonce, batches = false }) {
      if (nonce === usedNonce) return false;
      dropPort();
      usedNonce = nonce;
      const { port1, port2 } = new MessageChannel();
      const given = (port = createPortBatch(port1, batches));
      port1.addEventListener("message", ({ data }) => {
        for (const message of messagesIn(data)) if (port === given) take(message, { hasPort: true, post });
      });
      port1.start();
      const payload = { nonce, ...(batches && { batches }) };
      target()?.postMessage({ type: "parent_port", payload }, origin, [port2]);
      return true;
    },
    dropPort,
    close() {
      self.removeEventListener("message", hearWindow);
      dropPort();
    },
  };
}
