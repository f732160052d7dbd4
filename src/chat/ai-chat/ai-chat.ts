import { agentAttributes, AiAgent, bootstrapAi, getConfig, getRemoteCoreUrl } from "../../element/index.ts";
import { setOrRemove, takeEarlyProperties } from "../../element/index.ts";
import type { IWritableConfig } from "../../element/index.ts";
import { createTalk } from "../create-talk.ts";
import type { TalkElement } from "../create-talk.ts";
import { browserClock, createAnnouncer, html } from "../dom/index.ts";
import { loadMarkdown } from "../markdown/markdown-view.ts";
import { errorText } from "../model/outcome-of.ts";
import { saveTranscript, transcriptOf } from "../model/transcript.ts";
import type { TranscriptFormat } from "../model/transcript.ts";
import { safeStorage } from "../model/drafts.ts";
import { noParent } from "../talk-parent.ts";
import type { Announce, ModelSource, TalkPage } from "../talk-options.ts";
import { PagewireError } from "../../wire/index.ts";
import { iconButton } from "../view/icon-button.ts";
import { ForwardingElement } from "./forwarding.ts";
import { pageTools } from "./page-tools.ts";
import { styles } from "./styles.js";
import { whyUnreachable } from "./why-unreachable.ts";

const events = [
  ...AiAgent.wcBindable.properties.map(({ event }) => event),
  ...["tool-call-requested", "tool-call-completed", "connection-changed", "conversation-changed"].map(
    (name) => `ai-agent:${name}`,
  ),
];

/** `<ai-chat>`: a chat with a model, for any page. It holds an `<ai-agent>`, and has its attributes, properties and events. */
export class AiChat extends ForwardingElement {
  static readonly wcBindable = AiAgent.wcBindable;
  static readonly observedAttributes = [...agentAttributes, "greeting", "placeholder", "starters", "model-choice"];

  static #sheet: CSSStyleSheet | undefined;

  readonly #root = this.attachShadow({ mode: "open" });
  readonly #restart = iconButton({ icon: "plus", name: "New conversation", onclick: () => this.restart() });
  readonly #save = iconButton({
    icon: "save",
    name: "Save the conversation",
    onclick: () => saveTranscript(this.messages, "markdown"),
  });
  readonly #title = html("slot", { name: "title" });
  readonly #bar = html("div", { class: "talk-bar", part: "bar" }, this.#title, this.#save, this.#restart);
  #closeHistory = () => {};
  #starters: readonly string[] | undefined;
  #talk: TalkElement | undefined;
  #problem: string | undefined;

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [AiChat.#styles()];
    this.agent.prices = true;
    for (const type of events) this.#root.addEventListener(type, (event) => this.#pass(event as CustomEvent));
  }

  /** Questions to begin with, one to a line in the attribute; by default they follow from the tools. */
  get starters(): readonly string[] | undefined {
    return (
      this.#starters ??
      this.getAttribute("starters")
        ?.split("\n")
        .map((line) => line.trim())
        .filter(Boolean)
    );
  }

  set starters(starters: readonly string[] | undefined) {
    this.#starters = starters;
    this.#talk?.draw();
  }

  /** The line above an empty conversation. */
  get greeting(): string {
    return this.getAttribute("greeting") ?? "";
  }

  set greeting(greeting: string | undefined) {
    setOrRemove(this, "greeting", greeting);
  }

  /** The text in the empty field. */
  get placeholder(): string {
    return this.getAttribute("placeholder") ?? "";
  }

  set placeholder(placeholder: string | undefined) {
    setOrRemove(this, "placeholder", placeholder);
  }

  /**
   * Whether the user chooses the model: with "" among all that there are, with names between spaces among those; null if not.
   */
  get modelChoice(): string | null {
    return this.getAttribute("model-choice");
  }

  set modelChoice(names: string | null | undefined) {
    setOrRemove(this, "model-choice", names);
  }

  /** Begins a conversation without messages. */
  restart(): void {
    this.#talk?.forget();
    this.abort();
    if (this.connection === "local") this.messages = [];
    else this.conversation = null;
    this.focus();
  }

  /** The conversation as a text, to be kept or sent. */
  transcript(format: TranscriptFormat = "markdown"): string {
    return transcriptOf(this.messages, format);
  }

  override focus(): void {
    this.#talk?.focus();
  }

  attributeChangedCallback(name: string, _before: string | null, after: string | null): void {
    if (agentAttributes.includes(name)) setOrRemove(this.agent, name, after);
    this.#talk?.draw();
  }

  connectedCallback(): void {
    if (this.#talk) return;
    takeEarlyProperties(this);
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => this.#takeMessages());
    else this.#takeMessages();
    // Conversations are remembered by the element's id.
    if (this.id !== "") this.agent.id = this.id;
    this.#open();
  }

  disconnectedCallback(): void {
    // One that is only moved is back by then.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#talk?.close();
      this.#talk = undefined;
      this.#closeHistory();
      this.#root.replaceChildren();
    });
  }

  #open(): void {
    const { element: announcer, announce } = createAnnouncer();
    const { agent } = this;
    // The talk reads these as they are when it is drawn.
    const page = this.#page();
    const talk = createTalk({
      agent,
      parent: noParent,
      session: { info: { model: {} } },
      page,
      models: this.#models(),
      announce,
      clock: browserClock,
      storage: safeStorage(),
      askElsewhere: undefined,
    });
    this.#talk = talk;
    this.#root.replaceChildren(this.#bar, talk.element, announcer, agent);
    this.#drawBar();
    this.#followTools();
    // After the first paint, and before the first answer.
    const later = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 200));
    const load = () => void loadMarkdown().then(() => this.#addHistory(talk, announce));
    requestAnimationFrame(() => setTimeout(() => later(load)));
  }

  async #addHistory(talk: TalkElement, announce: Announce): Promise<void> {
    // The chat works without this part, too.
    const { createHistoryPanel } = await import("./history-panel.ts").catch(() => ({ createHistoryPanel: undefined }));
    if (!createHistoryPanel || this.#talk !== talk) return;
    const { agent } = this;
    const { button, element, close } = createHistoryPanel({
      ...{ agent, announce, conversations: talk.conversations, behind: [this.#bar, talk.element] },
      open: (id) => this.#show(id),
    });
    this.#bar.prepend(button);
    talk.element.after(element);
    this.#closeHistory = () => {
      button.remove();
      close();
    };
  }

  #show(id: string | null): void {
    if (id === null) return this.restart();
    this.#talk?.conversations.open(id);
    this.focus();
  }

  #page(): TalkPage {
    const read = <Value>(get: () => Value) => ({ get, enumerable: true });
    return Object.defineProperties({} as TalkPage, {
      greeting: read(() => this.greeting || undefined),
      placeholder: read(() => this.placeholder || undefined),
      starters: read(() => this.starters),
      tools: read(() => pageTools(this.agent)),
      problem: read(() => this.#problem),
    });
  }

  #models(): ModelSource {
    const [chat, { agent }] = [this, this];
    const named = () => chat.modelChoice?.split(/\s+/).filter(Boolean) ?? [];
    return {
      get isOn() {
        return chat.modelChoice !== null;
      },
      permits: (id) => named().length === 0 || named().includes(id),
      async list() {
        const names = named();
        return names.length > 0 ? names.map((id) => ({ id, name: id })) : await agent.models();
      },
    };
  }

  /** A page may connect its tools after this element is there. */
  #followTools(): void {
    addEventListener("load", () => this.#talk?.draw(), { once: true });
    this.#root.addEventListener("focusin", () => this.#talk?.draw(), { once: true });
    queueMicrotask(() => this.#talk?.draw());
  }

  #takeMessages(): void {
    const { aiMessage } = getConfig().tagNames;
    if (this.agent.childElementCount > 0) return;
    for (const message of this.querySelectorAll(`:scope > ${aiMessage}`)) this.agent.append(message.cloneNode(true));
  }

  #drawBar(): void {
    const isEmpty = this.agent.messages.length === 0;
    this.#restart.hidden = isEmpty;
    this.#save.hidden = isEmpty;
  }

  #pass({ type, detail }: CustomEvent): void {
    if (type === "ai-agent:messages-changed") this.#drawBar();
    if (type === "ai-agent:connection-changed" || type === "ai-agent:error") void this.#explain();
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, detail: detail as unknown }));
  }

  async #explain(): Promise<void> {
    // The agent may report an error before it is what the error made of it.
    await Promise.resolve();
    const { connection, error } = this.agent;
    if (connection === "connecting") return;
    const isLost = (connection === "waiting" || connection === "closed") && error !== null;
    const problem = isLost ? await this.#problemOf(error) : undefined;
    if (isLost && (this.agent.connection === "open" || this.agent.connection === "local")) return;
    this.#problem = problem;
    this.#talk?.draw();
  }

  async #problemOf(error: NonNullable<AiAgent["error"]>): Promise<string> {
    const address = this.remoteCoreUrl || getRemoteCoreUrl();
    if (!URL.canParse(address, document.baseURI)) return errorText(error);
    const isRefused =
      this.connection === "closed" && !(PagewireError.isInstance(error) && error.code === "part-missing");
    return isRefused ? errorText(error) : await whyUnreachable(new URL(address, document.baseURI), location);
  }

  static #styles(): CSSStyleSheet {
    if (!this.#sheet) {
      this.#sheet = new CSSStyleSheet();
      this.#sheet.replaceSync(styles);
    }
    return this.#sheet;
  }
}

/** Defines `<ai-chat>`, and `<ai-agent>` with this configuration unless that is there. On a server it does nothing. */
export function defineAiChat(config?: IWritableConfig): void {
  if (!globalThis.customElements || customElements.get("ai-chat")) return;
  if (!customElements.get(getConfig().tagNames.ai)) bootstrapAi(config);
  customElements.define("ai-chat", AiChat);
}

declare global {
  interface HTMLElementTagNameMap {
    "ai-chat": AiChat;
  }
}
