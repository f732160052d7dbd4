import type { WcBindableDeclaration } from "../declaration.ts";

export interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

/** A core that answers in steps, as one that talks to a model does. */
export class ChatCore extends EventTarget {
  static readonly wcBindable: WcBindableDeclaration = {
    protocol: "wc-bindable",
    version: 1,
    properties: ["content", "messages", "loading", "error"].map((name) => ({ name, event: `chat:${name}-changed` })),
    inputs: [{ name: "provider" }, { name: "messages" }],
    commands: [{ name: "send", async: true }, { name: "abort" }, { name: "fail" }],
  };

  content = "";
  messages: ChatMessage[] = [];
  loading = false;
  error: unknown = null;
  sends = 0;
  aborts = 0;
  #provider = "";
  #stopped = false;
  pieces: readonly string[] = ["It ", "is ", "12 ", "degrees ", "in ", "Tokyo."];
  /** Resolves before each piece. */
  pause: () => Promise<void> = () => Promise.resolve();

  get provider(): string {
    return this.#provider;
  }

  set provider(name: string) {
    if (name === "") throw new RangeError("A provider has a name.");
    this.#provider = name;
  }

  change(name: string, value: unknown): void {
    Object.assign(this, { [name]: value });
    this.dispatchEvent(new CustomEvent(`chat:${name}-changed`, { detail: value }));
  }

  async send(prompt: string): Promise<string | null> {
    this.sends++;
    this.#stopped = false;
    this.change("loading", true);
    this.change("messages", [...this.messages, { role: "user", content: prompt }]);
    this.change("content", "");
    for (const piece of this.pieces) {
      await this.pause();
      if (this.#stopped) return null;
      this.change("content", this.content + piece);
    }
    this.change("messages", [...this.messages, { role: "assistant", content: this.content }]);
    this.change("loading", false);
    return this.content;
  }

  abort(): void {
    this.aborts++;
    this.#stopped = true;
    this.change("loading", false);
  }

  fail(): never {
    throw new TypeError("It does not work.", { cause: new Error("inside") });
  }
}
