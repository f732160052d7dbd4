import type { AiQuota, AiToolCallState } from "../../../ai/index.ts";
import type { Limits, PagewireError } from "../../../wire/index.ts";
import type { Consents } from "../../approvals/consents.ts";
import type { ResolvedAi } from "../../options/ai-options.ts";
import type { WaitAnswer, WaitHandle } from "../../waits/wait.ts";
import type { History } from "./history.ts";
import type { ModelList } from "./model-list.ts";
import type { ToolOffer } from "./read-request.ts";
import type { ToolRecords } from "./tool-records.ts";

/** The context that a conversation gets from its door. */
export interface HubCoreOptions {
  /** The model of now; throws if there is none. */
  readonly ai: () => ResolvedAi;
  readonly listOf: (ai: ResolvedAi) => ModelList;
  /** Whether the client is the hub's owner, who may ask for any of the provider's models. */
  readonly isOwner: () => boolean;
  readonly principal: string;
  readonly limits: Limits;
  readonly history: History;
  /** Rejects if another hub has the conversation by now; undefined for a hub alone. */
  readonly stay: (() => Promise<void>) | undefined;
  /** Called before the model is asked; rejects if it may not be any more. */
  readonly prepare: ((ai: ResolvedAi) => Promise<void>) | undefined;
  readonly pageTools: ToolOffer["page"];
  /** The origin of the page that opened the agent's window. */
  readonly parent: () => string | undefined;
  /** The user's permanent decisions; undefined for conversations of pages, where they do not apply. */
  readonly consents: Consents | undefined;
  /** Why an app of this origin is refused now; undefined if it is not. */
  readonly refusalOf: (origin: string | undefined) => PagewireError | undefined;
  /** Throws if the principal's quota is used up, counting `more` tokens of this answer that are not charged yet. */
  readonly checkQuota: (more: number) => void;
  /** The rest of the user's quota, if there is one. */
  readonly left: () => AiQuota | undefined;
  /** Throws if no answer may start. Call the returned function when the answer ends. */
  readonly begin: (model: string) => (tokens: number, isDone: boolean) => void;
  /** A version of a provider's failure that is safe to show. */
  readonly failed: (failure: unknown, ai: ResolvedAi) => Promise<Response>;
  readonly records: ToolRecords;
  readonly shelf: Shelf;
  /** Lists a call that waits for approval in the user's inbox. */
  readonly waits: (call: AiToolCallState, settle: (answer: WaitAnswer) => boolean) => WaitHandle;
}

/** All conversations of this one's owner. */
export interface Shelf {
  /** A client without a credential sees only those whose ids it holds. */
  list(held: ReadonlySet<unknown>): Promise<readonly object[]>;
  remove(id: string): Promise<void>;
}
