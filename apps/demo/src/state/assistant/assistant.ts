// The assistant in its own window or within the page: opening it, asking it, and its state.
import type { AgentBridge, BridgeConfig, ConnectionState } from "pagewire/agent-window";
import { createStore } from "../store.ts";
import type { Store } from "../store.ts";

/** The assistant's state. */
export interface AssistantView {
  readonly connection: ConnectionState;
  /** Why it is not connected, as a word of the bridge. */
  readonly reason: string | undefined;
  /** The place where it is open; undefined if it is not. */
  readonly place: "window" | "page" | undefined;
}

export interface Question {
  readonly text: string;
  /** Whether it is sent at once; otherwise the user finds it in the field. */
  readonly isSent?: boolean;
}

export interface Assistant extends Pick<Store<AssistantView>, "get" | "watch"> {
  /** Opens its window, or focuses it. Call it in a click: browsers block it otherwise. */
  open(): void;
  /** Has it within the page instead. */
  openHere(): void;
  close(): void;
  /** Puts a question to it, and opens it where it is not open. */
  ask(question: Question): void;
}

type Bridge = Pick<AgentBridge, "openAgent" | "closeAgent" | "injectMessage" | "mount">;

export interface AssistantOptions {
  /** Creates the bridge, which reports its state through the callbacks. */
  readonly createBridge: (callbacks: Pick<BridgeConfig, "onConnectionChange">) => Bridge;
  /** The element for showing it within the page. */
  readonly frame: HTMLElement;
}

/** An assistant that is not open yet, or that this tab had open before it was loaded again. */
export function createAssistant({ createBridge, frame }: AssistantOptions): Assistant {
  const store = createStore<AssistantView>({ connection: "disconnected", reason: undefined, place: undefined });
  /** A question that could not be sent yet, such as when the browser blocked the window. */
  let waiting: Question | undefined;

  /** The place where it was opened last. A window that did not answer may still do so. */
  let where: "window" | "page" = "window";

  const bridge = createBridge({
    onConnectionChange(connection, _before, reason) {
      // Within the page it remains visible in every state, until it is closed.
      const isGone = connection === "disconnected" && (where === "window" || reason === "closed");
      store.update({ connection, reason, place: isGone ? undefined : where });
    },
  });

  function deliver(): void {
    const question = waiting;
    waiting = undefined;
    if (question) bridge.injectMessage(question.text, { autoSend: question.isSent === true });
  }

  function open(): void {
    where = "window";
    if (bridge.openAgent() !== null) deliver();
  }

  return {
    get: store.get,
    watch: store.watch,
    open,
    openHere() {
      where = "page";
      bridge.mount(frame);
      deliver();
    },
    close() {
      waiting = undefined;
      bridge.closeAgent();
      // One that was replaced is not the bridge's any more, and still there.
      frame.replaceChildren();
      store.update({ place: undefined });
    },
    ask(question) {
      waiting = question;
      // The one in the page is in sight already.
      if (store.get().place === "page") deliver();
      else open();
    },
  };
}
