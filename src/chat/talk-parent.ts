import type { InjectedMessage, WindowTool } from "../agent-window/index.ts";

/** The app whose window this is, if it is one: whose tools the model may use. */
export interface TalkParent {
  readonly state: TalkParentState;
  onState(listener: () => void): () => void;
  /** Messages that the app injects. */
  onInject(listener: (injected: InjectedMessage) => void): () => void;
  onProgress(listener: (progress: ToolProgress) => void): () => void;
}

/** For a talk that is no app's window. */
export const noParent: TalkParent = {
  state: { kind: "none" },
  onState: () => () => {},
  onInject: () => () => {},
  onProgress: () => () => {},
};

/** `relay` is the state of the app's connection to the hub, where there is one. */
export type TalkParentState =
  | { readonly kind: "none"; readonly relay?: string }
  | { readonly kind: "waiting"; readonly origin?: string }
  | {
      readonly kind: "connected";
      readonly origin: string;
      readonly tools: readonly WindowTool[];
      readonly relay: string;
    }
  | { readonly kind: "refused" | "lost"; readonly origin: string };

/** The progress of a tool's call, by the id under which the conversation shows it. */
export interface ToolProgress {
  readonly toolCallId: string;
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}
