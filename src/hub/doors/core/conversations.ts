// The conversations in memory: each is a core, loaded from the store or new, and saved when its last client leaves.
import { AiCore } from "../../../ai/index.ts";
import { createShellSessions } from "../../../bindable/remote.ts";
import type { OpenedCore, ServerTransport } from "../../../bindable/remote.ts";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import type { AgentSession } from "../../../switchboard/index.ts";
import type { TokenBudgets } from "../../../wire/index.ts";
import type { ResolvedAi } from "../../options/ai-options.ts";
import type { Consents } from "../../approvals/consents.ts";
import { isConversationId, newConversationId } from "../../store/index.ts";
import type { Later, Store, StoredConversation } from "../../store/index.ts";
import type { Door } from "../door.ts";
import type { Answers, Asking } from "./answers.ts";
import type { WindowDoor } from "../window/window-door.ts";
import { createHistory } from "./history.ts";
import type { History } from "./history.ts";
import { HubCore } from "./hub-core.ts";
import { ownerOf, readOwner } from "./owner.ts";
import type { Owner } from "./owner.ts";
import { pageTools } from "./page-tools.ts";
import { modelName } from "../window/window-session.ts";
import type { PageScope, PageTool } from "./page-tools.ts";
import { createUnsavedHistories } from "./unsaved-histories.ts";
import { tellFailure } from "./tell-failure.ts";
import { createToolRecords } from "./tool-records.ts";
import { createTokenLedger } from "./token-ledger.ts";
import { parentOf, windowTools } from "./window-tools.ts";

export interface ConversationsOptions {
  readonly ai: ResolvedAi;
  readonly store: Store;
  readonly later: Later;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  readonly answers: Answers;
  readonly consents: Consents;
  readonly windows: Pick<WindowDoor, "find" | "refusalOf">;
}

/** The client that sends a request in a conversation. */
export interface Asker {
  /** The tab that the client claims to be. */
  readonly tab: string | undefined;
  /** Whether it is one of the hub's own pages. */
  readonly isOwnPage: boolean;
  /** The budgets of its token. */
  readonly allowed: TokenBudgets | undefined;
}

export interface Conversations {
  /** The number of conversations in memory. */
  readonly size: number;
  /** Serves a client; its first message names the conversation. */
  attach(transport: ServerTransport, owner: Owner): void;
  /** Sets the client of a conversation's current request. */
  asks(id: string, asker: Asker): void;
  /** Stops all answers; resolves when everything is saved. */
  close(): Promise<void>;
}

export function createConversations(door: Door, options: ConversationsOptions): Conversations {
  const { limits, note, metrics } = door;
  const { ai, store, later, fetch: send, now, answers, consents, windows } = options;
  const askers = new Map<string, Asker>();
  const leaving = new Map<string, Promise<void>>();
  const unsaved = createUnsavedHistories(note);
  const onNotSaved = () => metrics.notSaved("usage");
  const ledger = createTokenLedger({ store, later, now, quotaFor: ai.quotaFor, onNotSaved });

  async function open(wanted: string | undefined, text: string): Promise<OpenedCore> {
    const owner = readOwner(text);
    const id = wanted ?? newConversationId();
    try {
      // Its last messages may still be on their way to the store.
      await leaving.get(id);
      await ledger.load(owner.principal);
      const history = unsaved.take({ principal: owner.principal, id }, owner.origin) ?? (await read(wanted, id, owner));
      return start(history, owner);
    } catch (error) {
      throw refused(error);
    }
  }

  async function read(wanted: string | undefined, id: string, owner: Owner): Promise<History> {
    const { principal, origin } = owner;
    const found = wanted === undefined ? undefined : await find(id, owner);
    const onNotSaved = () => metrics.notSaved("conversation");
    return createHistory({ store, later, key: { principal, id }, origin, found, limits, onNotSaved });
  }

  async function find(id: string, { principal, origin }: Owner): Promise<StoredConversation> {
    const found = isConversationId(id) ? await store.read({ principal, id }) : undefined;
    if (found && found.origin === origin) return found;
    throw new PagewireError("conversation-not-found", "There is no such conversation. Begin a new one.");
  }

  function start(history: History, { principal, origin }: Owner): OpenedCore {
    const { id } = history.key;
    const identity = JSON.stringify(["ai-agent", id]);
    const agents = new Map<string, AgentSession>();
    const allowedNow = () => askers.get(id)?.allowed;
    /** The session that the model calls with: tool calls count against the budgets of the current client. */
    const agentNow = (): AgentSession => {
      const allowed = allowedNow();
      const key = JSON.stringify(allowed);
      const model = { principal, identity, name: modelName, door: "model", allowed };
      const agent = agents.get(key) ?? door.switchboard.agent(model);
      agents.set(key, agent);
      return agent;
    };
    const closeAgents = () => agents.forEach((agent) => agent.close());
    // Keeps the principal's state alive for as long as the conversation is in memory.
    agentNow();
    try {
      const records = createToolRecords({ audit: door.audit, principal, origin });
      const isAsked: PageScope["isAsked"] = (tool) =>
        door.policy.judge({ ...tool, principal, agent: modelName })?.decision === "ask";
      const core = new HubCore({
        records,
        ai,
        principal,
        limits,
        fetch: send,
        history,
        // A page's decisions must not count for the assistant of its user.
        consents: origin === undefined ? consents : undefined,
        pageTools: () =>
          toolsFor(id, { principal, origin }, { agent: agentNow(), isAsked, allowedBy: records.allowedBy }),
        parent: () => (origin === undefined ? parentOf(windows.find(principal, id)) : undefined),
        refusalOf: windows.refusalOf,
        checkQuota: (more) => ledger.check(principal, more),
        begin: (model) => begin({ principal, allowed: allowedNow() }, model),
        failed: (failure) => tellFailure(failure, note),
      });
      return { id, core, close: () => leave(history, core, closeAgents) };
    } catch (error) {
      closeAgents();
      unsaved.put(history);
      throw error;
    }
  }

  function toolsFor(
    id: string,
    { principal, origin }: Owner,
    own: Pick<PageScope, "agent" | "allowedBy" | "isAsked">,
  ): readonly PageTool[] {
    const { tab, isOwnPage = false } = askers.get(id) ?? {};
    const scope = { ...own, origin, tab, jsonDepth: limits.jsonDepth };
    const session = origin === undefined ? windows.find(principal, id) : undefined;
    if (session) return windowTools(session, scope);
    // The window's offer includes the user's choice about other tabs, and may not have arrived yet.
    return isOwnPage ? [] : pageTools(scope);
  }

  function refused(error: unknown): PagewireError {
    const refusal = PagewireError.isInstance(error) ? error : damaged(error);
    metrics.refused(refusal.code);
    note("warn", "core-refused", { code: refusal.code });
    return refusal;
  }

  /** The stored data is not a conversation. */
  function damaged(error: unknown): PagewireError {
    note("error", "store-failed", { code: "store-damaged", message: messageOf(error) });
    return new PagewireError("store-damaged", "What the hub has kept of this cannot be read. Its log says why.");
  }

  function begin(whose: Asking, model: string): ReturnType<Answers["begin"]> {
    const end = answers.begin(whose, model);
    return (tokens, isDone) => {
      ledger.charge(whose.principal, tokens);
      end(tokens, isDone);
    };
  }

  function leave(history: History, core: HubCore, stop: () => void): void {
    const { id } = history.key;
    askers.delete(id);
    const left = core.close().then(() => {
      stop();
      unsaved.put(history);
      leaving.delete(id);
    });
    leaving.set(id, left);
  }

  const sessions = createShellSessions({
    declaration: HubCore.wcBindable,
    plainDeclaration: AiCore.wcBindable,
    open,
    keepFor: limits.conversationTime,
    limits: { sessionsPerPrincipal: limits.openConversations, jsonDepth: limits.jsonDepth },
    // A dropped message may contain a client's text.
    logger: { warn: () => metrics.unknownFrame(), error: () => note("error", "core-failed") },
  });

  return {
    get size() {
      return sessions.size;
    },
    attach: (transport, owner) => sessions.attach(transport, ownerOf(owner)),
    asks: (id, asker) => void askers.set(id, asker),
    async close() {
      sessions.close();
      await Promise.all(leaving.values());
    },
  };
}
