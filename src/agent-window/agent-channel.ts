// The transport from the page to the agent's window: the window itself, or a port that our own agent accepted. It accepts
// messages only from that window at that origin, and does not interpret them.
import type { Envelope, FromAgent, FromParent } from "./messages.ts";
import { readFromAgent } from "./read-message.ts";
import type { Reading } from "./read-message.ts";
import { createPortBatch, messagesIn } from "./port-batch.ts";
import type { PortBatch } from "./port-batch.ts";

/** A message of the agent, valid or not. */
export type AgentReading = Exclude<Reading<FromAgent>, { kind: "foreign" }>;

/** The return path to the sender of a message. */
export interface AgentSender {
  /** Whether there is a port; only our own agent has one. */
  readonly hasPort: boolean;
  post(message: Envelope<FromParent>): void;
}

export interface AgentChannelOptions {
  readonly self: Pick<Window, "addEventListener" | "removeEventListener"> & { readonly document?: { title?: string } };
  readonly origin: string;
  /** The agent's current window. */
  target(): Window | null;
  received(reading: AgentReading, sender: AgentSender): void;
  /** The window sent from another origin: it shows another page. */
  navigatedAway(): void;
}

export interface AgentChannel {
  /** Whether the agent accepted a port; only our own does. */
  readonly hasPort: boolean;
  /** Sends over the port if there is one. */
  post(message: Envelope<FromParent>): void;
  postToWindow(message: Envelope<FromParent>): void;
  /** Gives the agent a port for this nonce; false if it already got one. */
  givePort({ nonce, batches }: FromAgent["agent_ready"]): boolean;
  dropPort(): void;
  close(): void;
}

export function createAgentChannel({
  self,
  origin,
  target,
  received,
  navigatedAway,
}: AgentChannelOptions): AgentChannel {
  let port: PortBatch | undefined;
  let usedNonce: string | undefined;

  function read(data: unknown, sender: AgentSender): void {
    const reading = readFromAgent(data);
    if (reading.kind !== "foreign") received(reading, sender);
  }

  function receive({ data, origin: from, source }: MessageEvent): void {
    if (source === null || source !== target()) return;
    if (from !== origin) return navigatedAway();
    const portThen = port;
    read(data, {
      get hasPort() {
        return port !== undefined;
      },
      // A sender with a port that uses the window has lost its port.
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

  self.addEventListener("message", receive);

  return {
    get hasPort() {
      return port !== undefined;
    },
    post,
    postToWindow,
    givePort({ nonce, batches = false }) {
      if (nonce === usedNonce) return false;
      dropPort();
      usedNonce = nonce;
      const { port1, port2 } = new MessageChannel();
      const given = (port = createPortBatch(port1, batches));
      port1.addEventListener("message", ({ data }) => {
        for (const message of messagesIn(data)) if (port === given) read(message, { hasPort: true, post });
      });
      port1.start();
      const title = self.document?.title;
      const payload = { nonce, ...(batches && { batches }), ...(title && { title }) };
      target()?.postMessage({ type: "parent_port", payload }, origin, [port2]);
      return true;
    },
    dropPort,
    close() {
      self.removeEventListener("message", receive);
      dropPort();
    },
  };
}
