// The conversations in memory: each is a core, loaded from the store or new, and saved when its last client leaves.
import { AiCore } from "../../../ai/index.ts";
import { createShellSessions } from "../../../bindable/remote.ts";
import type { OpenedCore, ServerTransport } from "../../../bindable/remote.ts";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import type { AgentSession } from "../../../switchboard/index.ts";
import type { TokenBudgets } from "../../../wire/index.ts";
import type { ResolvedAi } from "../../options/ai-options.ts";
import type { Consents } from "../../approvals/consents.ts";
import { agentOf, toolCheck } from "../../identity/admitted.ts";
import type { Admitted } from "../../identity/admitted.ts";
import type { Hold } from "../../cluster/homes.ts";
import {
  conversationsOf,
  homeOf,
  isConversationId,
  isElsewhere,
  newConversationId,
  removeConversation,
} from "../../store/index.ts";
import type { ConversationKey, Later, Store, StoredConversation } from "../../store/index.ts";
import type { Door } from "../door.ts";
import { quotaToShow } from "../../common/token-limit.ts";
import type { TokenLimit, TokensLeft } from "../../common/token-limit.ts";
import type { Quotas } from "../../team/quotas.ts";
import type { Answers, Asking } from "./answers.ts";
import type { WindowDoor } from "../window/window-door.ts";
import { createHistory, createUnsavedHistories } from "./history.ts";
import type { History, UnsavedHistories } from "./history.ts";
import { HubCore } from "./hub-core.ts";
import type { Shelf } from "./hub-core-options.ts";
import { ownerOf, readOwner } from "./owner.ts";
import type { Owner } from "./owner.ts";
import { modelChanged } from "./model-source.ts";
import type { ModelSource } from "./model-source.ts";
import type { ModelList } from "./model-list.ts";
import { pageTools } from "./page-tools.ts";
import { modelName } from "../window/call-rules.ts";
import type { PageScope, PageTool } from "./page-tools.ts";
import { aboutApproval } from "../../waits/about-call.ts";
import { tellFailure } from "./tell-failure.ts";
import { testModel } from "./test-model.ts";
import type { ModelTest } from "./test-model.ts";
import { createToolRecords } from "./tool-records.ts";
import { createTokenLedger } from "./token-ledger.ts";
import type { TokenLedger } from "./token-ledger.ts";
import { parentOf, windowTools } from "./window-tools.ts";

export interface ConversationsOptions {
  readonly models: ModelSource;
  readonly listOf: (ai: ResolvedAi) => ModelList;
  readonly store: Store;
  readonly later: Later;
  readonly now: () => number;
  /** In team mode: the limits that organisations have set. */
  readonly quotas: Pick<Quotas, "load" | "limitsOf"> | undefined;
  readonly answers: Answers;
  readonly consents: Consents;
  readonly windows: Pick<WindowDoor, "find" | "refusalOf">;
  /** Whether pages come without a token: any program on the machine, and a proxy's visitors, may come as one. */
  readonly hasVisitors: boolean;
}

/** The client that sends a request in a conversation. */
export interface Asker {
  /** The tab that the client claims to be. */
  readonly tab: string | undefined;
  /** Whether it is one of the hub's own pages. */
  readonly isOwnPage: boolean;
  /** Whether it may ask for any of the provider's models. */
  readonly isOwner: boolean;
  /** The budgets of its token. */
  readonly allowed: TokenBudgets | undefined;
  /** The scopes of its token; everything if missing. */
  readonly scopes: Admitted["scopes"] | undefined;
}

/** The sessions that a conversation's model calls with: its calls count against the budgets of the current client. */
interface ModelAgents {
  current(): AgentSession;
  close(): void;
}

export class Conversations {
  readonly #door: Door;
  readonly #options: ConversationsOptions;
  readonly #askers = new Map<string, Asker>();
  readonly #cores = new Map<string, HubCore>();
  readonly #leaving = new Map<string, Promise<void>>();
  readonly #unsaved: UnsavedHistories;
  readonly #ledger: TokenLedger;
  readonly #sessions: ReturnType<typeof createShellSessions>;

  constructor(door: Door, options: ConversationsOptions) {
    const { limits, note, metrics } = door;
    const { models, store, later, now, quotas } = options;
    this.#door = door;
    this.#options = options;
    this.#unsaved = createUnsavedHistories(note);
    const onNotSaved = () => metrics.notSaved("usage");
    const use = door.cluster?.use;
    const limitsOf = (principal: string): readonly TokenLimit[] => [
      {
        ...{ account: principal, period: "day", by: "hub" },
        // The owner's function may fail: only where it matters.
        get tokens() {
          return models.of(principal)?.quotaFor(principal) ?? Infinity;
        },
      },
      ...(quotas?.limitsOf(principal) ?? []),
    ];
    this.#ledger = createTokenLedger({ store, later, now, limitsOf, onNotSaved, use });
    this.#sessions = createShellSessions({
      declaration: HubCore.wcBindable,
      plainDeclaration: AiCore.wcBindable,
      open: (wanted, owner) => this.#open(wanted, owner),
      keepFor: limits.conversationTime,
      limits: { sessionsPerPrincipal: limits.openConversations, jsonDepth: limits.jsonDepth },
      // A dropped message may contain a client's text.
      logger: { warn: () => metrics.unknownFrame(), error: () => note("error", "core-failed") },
    });
  }

  /** The number of conversations in memory. */
  get size(): number {
    return this.#sessions.size;
  }

  /** Serves a client; its first message names the conversation. */
  attach(transport: ServerTransport, owner: Owner): void {
    this.#sessions.attach(transport, ownerOf(owner));
  }

  /** Sets the client of a conversation's current request. */
  asks(id: string, asker: Asker): void {
    this.#askers.set(id, asker);
  }

  /** Asks a model for a small answer, outside of any conversation. */
  async test({ principal, allowed, isOwner = false }: Admitted, model: string): Promise<ModelTest> {
    const { note } = this.#door;
    await this.#load(principal);
    const ai = this.#modelOf(principal);
    this.#ledger.check(principal, 0);
    const end = this.#begin({ principal, allowed }, ai.isRehearsal ? "rehearsal" : model);
    const failed = (failure: unknown) => tellFailure(failure, note, { ...ai, isOwner });
    const found = await testModel({ ai, model, fetch: ai.fetch ?? fetch, failed });
    end(found.tokens, found.isOk);
    return found;
  }

  /** The rest of each limit of a principal, the least first. */
  async left(principal: string): Promise<readonly TokensLeft[]> {
    await this.#load(principal);
    return this.#ledger.left(principal);
  }

  /** Ends what is idle: its clients go on at another hub. */
  sendAway(): void {
    for (const [id, core] of this.#cores) if (!core.isAnswering) this.#sessions.end(id);
  }

  /** Stops all answers; resolves when everything is saved. */
  async close(): Promise<void> {
    this.#sessions.close();
    await Promise.all(this.#leaving.values());
  }

  async #load(principal: string): Promise<void> {
    await this.#options.models.load(principal);
    await this.#options.quotas?.load(principal);
    await this.#ledger.load(principal);
  }

  /** An open conversation follows its organisation's settings. A key that was taken away is used no more. */
  async #prepare(principal: string, model: ResolvedAi): Promise<void> {
    await this.#load(principal);
    if (this.#modelOf(principal) !== model) throw modelChanged();
  }

  #modelOf(principal: string): ResolvedAi {
    const ai = this.#options.models.of(principal);
    if (ai) return ai;
    throw this.#options.models.missing(principal);
  }

  async #open(wanted: string | undefined, text: string): Promise<OpenedCore> {
    const owner = readOwner(text);
    const { principal, origin } = owner;
    const id = wanted ?? newConversationId();
    try {
      // Its last messages may still be on their way to the store.
      await this.#leaving.get(id);
      await this.#load(principal);
      const hold = await this.#hold({ principal, id }, wanted);
      try {
        const history = this.#unsaved.take({ principal, id }, origin) ?? (await this.#read(wanted, id, owner));
        return this.#start(history, owner, hold);
      } catch (error) {
        hold?.close();
        throw error;
      }
    } catch (error) {
      throw this.#refused(error);
    }
  }

  /** Makes this the conversation's hub, if there are several. */
  async #hold(key: ConversationKey, wanted: string | undefined): Promise<Hold | undefined> {
    // A guess takes nothing.
    if (wanted !== undefined && !isConversationId(wanted)) return undefined;
    const holding = this.#door.homes?.hold(homeOf(key), () => this.#sessions.end(key.id));
    // Nobody else knows a new one: it begins, as at a hub alone, while the database is away.
    const hold = await (wanted === undefined ? holding?.catch(() => undefined) : holding);
    if (typeof hold === "string") throw isElsewhere();
    return hold;
  }

  async #read(wanted: string | undefined, id: string, owner: Owner): Promise<History> {
    const { limits, metrics } = this.#door;
    const { store, later } = this.#options;
    const { principal, origin } = owner;
    const found = wanted === undefined ? undefined : await this.#find(id, owner);
    const onNotSaved = () => metrics.notSaved("conversation");
    const onElsewhere = () => this.#sessions.end(id);
    return createHistory({ store, later, key: { principal, id }, origin, found, limits, onNotSaved, onElsewhere });
  }

  async #find(id: string, { principal, origin }: Owner): Promise<StoredConversation> {
    const found = isConversationId(id) ? await this.#options.store.read({ principal, id }) : undefined;
    if (found && found.origin === origin) return found;
    throw new PagewireError("conversation-not-found", "There is no such conversation. Begin a new one.");
  }

  #start(history: History, owner: Owner, hold: Hold | undefined): OpenedCore {
    const { id } = history.key;
    const agents = this.#agentsOf(id, owner);
    // Keeps the principal's state alive for as long as the conversation is in memory.
    agents.current();
    try {
      const core = this.#coreOf({ history, hold }, owner, agents);
      const close = () => {
        agents.close();
        this.#unsaved.put(history, () => hold?.close());
      };
      this.#cores.set(id, core);
      return { id, core, close: () => this.#leave(id, core, close) };
    } catch (error) {
      agents.close();
      this.#unsaved.put(history, () => {});
      throw error;
    }
  }

  #agentsOf(id: string, { principal }: Owner): ModelAgents {
    const identity = JSON.stringify(["ai-agent", id]);
    const agents = new Map<string, AgentSession>();
    return {
      current: () => {
        const { allowed, scopes } = this.#askers.get(id) ?? {};
        const key = JSON.stringify([allowed, scopes]);
        const whose = agentOf({ principal, ...(allowed && { allowed }), ...(scopes && { scopes }) });
        const model = { ...whose, identity, name: modelName, door: "model" };
        const agent = agents.get(key) ?? this.#door.switchboard.agent(model);
        agents.set(key, agent);
        return agent;
      },
      close: () => agents.forEach((agent) => agent.close()),
    };
  }

  #coreOf({ history, hold }: Kept, owner: Owner, agents: ModelAgents): HubCore {
    const { limits, note, audit, policy, waits } = this.#door;
    const { listOf, consents, windows } = this.#options;
    const { id } = history.key;
    const { principal, origin } = owner;
    const records = createToolRecords({ audit, principal, origin });
    const { allowedBy } = records;
    const isAsked: PageScope["isAsked"] = (tool) =>
      policy.judge({ ...tool, principal, agent: modelName })?.decision === "ask";
    return new HubCore({
      waits: ({ approval, name }, settle) =>
        waits.add(principal, aboutApproval(approval, { tool: name, conversation: id, origin }), (answer) =>
          settle(answer) ? undefined : "nobody",
        ),
      records,
      shelf: this.#shelfOf(owner),
      ai: () => this.#modelOf(principal),
      listOf,
      isOwner: () => this.#askers.get(id)?.isOwner ?? false,
      principal,
      limits,
      history,
      stay: hold && (() => stayAt(hold)),
      prepare: this.#options.quotas && ((model) => this.#prepare(principal, model)),
      // A page's decisions must not count for the assistant of its user.
      consents: origin === undefined ? consents : undefined,
      pageTools: () => this.#toolsFor(id, owner, { agent: agents.current(), isAsked, allowedBy }),
      parent: () => (origin === undefined ? parentOf(windows.find(principal, id)) : undefined),
      refusalOf: windows.refusalOf,
      checkQuota: (more) => this.#ledger.check(principal, more),
      left: () => quotaToShow(this.#ledger.left(principal)),
      begin: (model) => this.#begin({ principal, allowed: this.#askers.get(id)?.allowed }, model),
      failed: (failure, { organisation }) => tellFailure(failure, note, { organisation }),
    });
  }

  #shelfOf(owner: Owner): Shelf {
    const { store, hasVisitors } = this.#options;
    const isVisitor = hasVisitors && owner.origin !== undefined;
    return {
      async list(held) {
        const all = await conversationsOf(store, owner);
        // An id is a secret, which this list must not give away.
        return isVisitor ? all.filter(({ id }) => held.has(id)) : all;
      },
      remove: (id) => removeConversation(store, owner, id),
    };
  }

  #toolsFor(
    id: string,
    { principal, origin }: Owner,
    own: Pick<PageScope, "agent" | "allowedBy" | "isAsked">,
  ): readonly PageTool[] {
    const { tab, scopes, isOwnPage = false } = this.#askers.get(id) ?? {};
    const checkTool = scopes && toolCheck(scopes);
    const scope = { ...own, checkTool, origin, tab, jsonDepth: this.#door.limits.jsonDepth };
    const session = origin === undefined ? this.#options.windows.find(principal, id) : undefined;
    if (session) return windowTools(session, scope);
    // The window's offer includes the user's choice about other tabs, and may not have arrived yet.
    return isOwnPage ? [] : pageTools(scope);
  }

  #refused(error: unknown): PagewireError {
    const { metrics, note } = this.#door;
    const refusal = PagewireError.isInstance(error) ? error : this.#damaged(error);
    metrics.refused(refusal.code);
    note("warn", "core-refused", { code: refusal.code });
    return refusal;
  }

  /** The stored data is not a conversation. */
  #damaged(error: unknown): PagewireError {
    this.#door.note("error", "store-failed", { code: "store-damaged", message: messageOf(error) });
    return new PagewireError("store-damaged", "The hub's stored data for this cannot be read. Its log says why.");
  }

  #begin(whose: Asking, model: string): ReturnType<Answers["begin"]> {
    const end = this.#options.answers.begin(whose, model);
    return (tokens, isDone) => {
      try {
        this.#ledger.charge(whose.principal, tokens);
      } finally {
        end(tokens, isDone);
      }
    };
  }

  #leave(id: string, core: HubCore, close: () => void): void {
    this.#askers.delete(id);
    this.#cores.delete(id);
    const left = core.close().then(() => {
      close();
      this.#leaving.delete(id);
    });
    this.#leaving.set(id, left);
  }
}

/** A conversation of this hub; without a hold where it has no others. */
interface Kept {
  readonly history: History;
  readonly hold: Hold | undefined;
}

async function stayAt(hold: Hold): Promise<void> {
  if (!(await hold.check())) throw isElsewhere();
}
