// Whether an element's core is on a server, and the connection to it. The code for that is loaded on first use.
import { PagewireError } from "../wire/errors.ts";
import type { AgentConnection } from "./agent-events.ts";
import type { AgentProperties } from "./agent-properties.ts";
import { getConfig, getRemoteCoreUrl } from "./config.ts";
import { partMissing } from "./part-missing.ts";
import type { RemoteAgent } from "./remote-agent.ts";

export class RemoteMode {
  /** Whether the next connection starts a conversation, even if another is remembered. */
  isNew = false;
  readonly #element: HTMLElement & AgentProperties;
  readonly #onFailure: (error: Error) => void;
  readonly #isConfigured = getConfig().remote.enableRemote;
  /** The current agent, or else the previous one: its messages can still be read. */
  #agent: RemoteAgent | undefined;
  #opening: Promise<RemoteAgent | undefined> | undefined;
  #isOpening = false;
  #attempts = 0;

  constructor(element: HTMLElement & AgentProperties, onFailure: (error: Error) => void) {
    this.#element = element;
    this.#onFailure = onFailure;
  }

  get isOn(): boolean {
    return this.#isConfigured || this.#element.remoteCoreUrl !== "";
  }

  get agent(): RemoteAgent | undefined {
    return this.isOn ? this.#agent : undefined;
  }

  get conversation(): string | null {
    return (!this.isNew && this.agent?.conversation) || null;
  }

  get connection(): AgentConnection {
    if (!this.isOn) return "local";
    return this.#isOpening ? "connecting" : (this.#agent?.connection ?? "closed");
  }

  /** Resolves once there is an agent to ask; with undefined if there can be none, which was reported as a failure. */
  async ready(): Promise<RemoteAgent | undefined> {
    if (!this.#opening) {
      const message = "<ai-agent>: in remote mode the element must be in the document before it can send.";
      throw new PagewireError("options-invalid", message);
    }
    // A failed module or a refusing server may succeed now.
    if (this.connection === "closed") this.open();
    return await this.#opening;
  }

  /** The agent to ask; throws if there can be none. */
  async reach(): Promise<RemoteAgent> {
    const agent = await this.ready();
    if (!agent) throw new PagewireError("hub-unreachable", "<ai-agent>: there is no connection to the server.");
    return agent;
  }

  /** Throws where requests are the server's to make. */
  refuseOwnProvider(): void {
    if (!this.isOn) return;
    const message = "<ai-agent>: in remote mode requests are made by the server: a provider of your own is set there.";
    throw new PagewireError("options-invalid", message);
  }

  open(): void {
    this.close();
    this.#attempts += 1;
    this.#isOpening = true;
    this.#opening = this.#load(this.#attempts);
  }

  close(): void {
    this.#attempts += 1;
    this.#isOpening = false;
    this.#opening = undefined;
    this.#agent?.close();
  }

  async #load(attempt: number): Promise<RemoteAgent | undefined> {
    try {
      const url = this.#url();
      const { RemoteAgent } = await import("./remote-agent.ts");
      if (attempt !== this.#attempts) return undefined;
      this.#agent = new RemoteAgent(this.#element, { url, isNew: this.isNew, values: this.#agent?.values });
      this.isNew = false;
      return this.#agent;
    } catch (error) {
      if (attempt === this.#attempts) this.#onFailure(partMissing(error));
      return undefined;
    } finally {
      if (attempt === this.#attempts) this.#isOpening = false;
    }
  }

  #url(): URL {
    const text = this.#element.remoteCoreUrl || getRemoteCoreUrl();
    const url = URL.canParse(text, document.baseURI) ? new URL(text, document.baseURI) : undefined;
    // A relative address resolves to http.
    if (url && /^https?:$/.test(url.protocol)) url.protocol = url.protocol.replace("http", "ws");
    if (text && url && /^wss?:$/.test(url.protocol)) return url;
    const message = `<ai-agent>: remote mode needs a WebSocket's address in "remote.remoteCoreUrl" or \`remote-core-url\`, got "${text}".`;
    throw new PagewireError("options-invalid", message);
  }
}
