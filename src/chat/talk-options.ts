import type { WindowTool } from "../agent-window/index.ts";
import type { AiModel } from "../element/index.ts";
import type { TalkParent } from "./talk-parent.ts";
import type { AskElsewhere } from "./approvals.ts";
import type { TalkClock } from "./dom/clock.ts";
import type { DraftStorage } from "./model/drafts.ts";
import type { TalkAgent } from "./talk-agent.ts";

/** Announces a text to screen readers: politely, or at once where it is urgent. */
export type Announce = (text: string, isUrgent?: boolean) => void;

/** The assistant's tools without an app: those of the user's tabs. */
export interface TabTools {
  /** Whether the assistant may use them in this conversation. */
  readonly isOn: boolean;
  /** The tools of the tabs that it may use; undefined until the hub has replied. */
  readonly tools: readonly WindowTool[] | undefined;
  /** Why it has none, and what to do. */
  readonly whyNone: string | undefined;
  /** A page that has some, to open where there is none. */
  readonly example?: { readonly name: string; readonly href: string } | undefined;
  /** Offers them in the conversation. */
  prepare(): void;
  /** Calls when any of it is different. */
  onChange(listener: () => void): () => void;
}

/** The part of the user's session with the hub that the talk uses. */
export interface TalkSession {
  /** `model` is null where the hub has none. */
  readonly info: { readonly model: object | null };
}

/** The page that the talk is a part of, where that is not the hub's own. */
export interface TalkPage {
  /** Above an empty conversation. */
  readonly greeting: string | undefined;
  /** In the empty composer. */
  readonly placeholder: string | undefined;
  /** Questions to begin with; undefined for those that follow from the tools. */
  readonly starters: readonly string[] | undefined;
  /** The tools that the model may use. */
  readonly tools: readonly WindowTool[];
  /** Why the model cannot be asked now, and what to do. */
  readonly problem: string | undefined;
}

/** The models that the user may choose from. */
export interface ModelSource {
  /** Whether there is a choice. */
  readonly isOn: boolean;
  /** The model of questions that name none, where that is known. */
  readonly byDefault?: string | undefined;
  /** Whether a conversation's stored choice counts; without it, any does. */
  permits?(id: string): boolean;
  list(): Promise<readonly AiModel[]>;
}

export interface TalkOptions {
  readonly agent: TalkAgent;
  readonly parent: TalkParent;
  readonly session: TalkSession;
  /** Given at the hub's home. */
  readonly tabs?: TabTools | undefined;
  /** Given where a page embeds the talk. */
  readonly page?: TalkPage | undefined;
  readonly models?: ModelSource | undefined;
  readonly announce: Announce;
  readonly clock: TalkClock;
  /** Shown in the composer, below its field. */
  readonly accessory?: HTMLElement | undefined;
  /** The tab's own. */
  readonly storage: DraftStorage;
  /** Set if the window is framed: asks in a window that nothing can cover. */
  readonly askElsewhere: AskElsewhere | undefined;
}
