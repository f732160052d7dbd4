// An AiCore with the server's keys, models, limits and tools, and a history that only the server writes.
import { AiCore, keptAiDeclaration } from "../../../ai/index.ts";
import type {
  AiContentPart,
  AiHttpError,
  AiMessage,
  AiModel,
  AiNotSaved,
  AiQuota,
  AiRequestOptions,
  AiToolCallState,
  AiToolDecision,
  AiUsage,
  IAiProvider,
} from "../../../ai/index.ts";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import type { ResolvedAi } from "../../options/ai-options.ts";
import type { Consents } from "../../approvals/consents.ts";
import type { WaitHandle } from "../../waits/wait.ts";
import { chooseTools, checkCut, checkPrompt, isApproval, readDecision, readRequest } from "./read-request.ts";
import { guardTools } from "./guard-tools.ts";
import type { HubCoreOptions } from "./hub-core-options.ts";
import { createMeter } from "./meter.ts";
import type { Meter } from "./meter.ts";
import { fenceTools } from "./page-tools.ts";
import type { PageTool } from "./page-tools.ts";
import { refusalOf } from "./tell-failure.ts";
import { writersIn } from "./writers.ts";

/** A call that waits for the user's approval. */
interface WaitingCall {
  readonly timer: ReturnType<typeof setTimeout>;
  readonly listed: WaitHandle;
}

type Prompt = string | AiContentPart[];

export class HubCore extends AiCore {
  static override readonly wcBindable = {
    ...keptAiDeclaration,
    commands: [
      ...(keptAiDeclaration.commands ?? []),
      { name: "listConversations", async: true },
      { name: "deleteConversation", async: true },
    ],
    properties: keptAiDeclaration.properties.map((property) =>
      property.name === "error" ? { ...property, getter: ({ target }: Event) => (target as HubCore).error } : property,
    ),
  };

  readonly #options: HubCoreOptions;
  /** After the last answer. */
  #quota: AiQuota | undefined;
  /** The AI options of the last answer. */
  #ai: ResolvedAi;
  #meter: Meter | undefined;
  /** The tools of the current answer. */
  #tools: readonly PageTool[] = [];
  readonly #answers = new Set<Promise<unknown>>();
  readonly #waiting = new Map<string, WaitingCall>();
  #unsavedDecision: { readonly tool: string; readonly why: string } | undefined;
  #setClosed = () => {};
  readonly #closed = new Promise<void>((resolve) => (this.#setClosed = resolve));

  constructor(options: HubCoreOptions) {
    super();
    this.#options = options;
    this.#ai = options.ai();
    super.provider = this.#ai.provider;
    super.messages = [...options.history.messages];
    options.history.onChange = () => this.#tellNotSaved();
    for (const name of ["content", "reasoning", "tool-calls", "usage"])
      this.addEventListener(`ai-agent:${name}-changed`, () => this.#measure());
    this.addEventListener("ai-agent:usage-changed", (event) => this.#meter?.reported(detailOf<AiUsage | null>(event)));
    this.addEventListener("ai-agent:tool-calls-changed", (event) => this.#watch(detailOf<AiToolCallState[]>(event)));
  }

  override get provider(): string | IAiProvider | null {
    return super.provider;
  }

  /** Setting the server's own provider has no effect; the rehearsal provider accepts any name. */
  override set provider(asked: string | IAiProvider | null) {
    const { provider, isRehearsal } = this.#ai;
    if (asked === null || asked === "" || asked === provider || (isRehearsal && typeof asked === "string")) return;
    const name = typeof provider === "string" ? `"${provider}"` : "its own";
    throw new PagewireError("option-refused", `The provider is the server's to decide: it is ${name}.`);
  }

  /** Masks the server's secrets in errors of the provider and the network. */
  override get error(): AiHttpError | Error | null {
    const { mask } = this.#ai;
    const error = super.error;
    if (error instanceof Error) return Object.assign(new Error(mask(error.message)), error, { name: error.name });
    return error && { ...error, statusText: mask(error.statusText), body: mask(error.body) };
  }

  /** With the rest of the quota, once the answer is over. */
  override get usage(): AiUsage | null {
    const usage = super.usage;
    return usage && this.#quota ? { ...usage, quota: this.#quota } : usage;
  }

  get isAnswering(): boolean {
    return this.#answers.size > 0;
  }

  override get messages(): AiMessage[] {
    return super.messages;
  }

  override set messages(given: AiMessage[]) {
    checkCut(given, super.messages);
    this.abort();
    super.messages = super.messages.slice(0, given.length);
    void this.#save();
  }

  /** Why the conversation, or a decision in it, is not saved; null if all is saved. */
  get notSaved(): AiNotSaved | null {
    const conversation = this.#options.history.notSaved;
    const decision = this.#unsavedDecision;
    if (!decision) return conversation;
    const what = `What you decided about ${decision.tool} is not saved`;
    if (conversation) return { ...conversation, message: `${conversation.message} ${what} either.` };
    return { code: "not-saved", message: `${what}. ${decision.why}` };
  }

  override async send(prompt: Prompt, options: AiRequestOptions): Promise<string | null> {
    checkPrompt(prompt, this.#options.limits);
    return this.#answer(options, (checked) => super.send(prompt, checked));
  }

  override async edit(id: string, prompt: Prompt, options: AiRequestOptions): Promise<string | null> {
    checkPrompt(prompt, this.#options.limits);
    return this.#answer(options, (checked) => super.edit(id, prompt, checked));
  }

  override async regenerate(options: AiRequestOptions): Promise<string | null> {
    return this.#answer(options, (checked) => super.regenerate(checked));
  }

  /** The models that the client may ask for. */
  override async models(): Promise<AiModel[]> {
    const { listOf, isOwner } = this.#options;
    const isAll = isOwner();
    const ai = this.#useModel();
    const { models } = await listOf(ai).read();
    return models.filter(({ id }) => isAll || ai.models.includes(id)).map((model) => ({ ...model }));
  }

  override settleToolCall(id: string, decision: AiToolDecision): boolean {
    return this.#settle(id, readDecision(decision), "conversation");
  }

  #settle(id: string, read: AiToolDecision, place: "conversation" | "inbox"): boolean {
    const scope = typeof read === "object" ? read.scope : undefined;
    const tool = scope === "always" ? this.#waitingTool(id) : undefined;
    const { consents, records } = this.#options;
    const approved = isApproval(read);
    // A copy in the core would survive a withdrawn consent.
    const isKeptHere = !tool || !consents;
    const decision = typeof read === "object" && isKeptHere ? read : { approved, scope: "once" as const };
    // Clients of the conversation see where it was decided.
    const isSettled = super.settleToolCall(
      id,
      place === "inbox" ? Object.assign({ decidedIn: place }, decision) : decision,
    );
    if (isSettled) {
      records.decided(id, { approved, by: "user", scope });
      this.#waiting.get(id)?.listed.close("conversation", approved);
    }
    if (isSettled && !isKeptHere) void this.#decide(consents, tool, approved);
    return isSettled;
  }

  listConversations(held?: unknown): Promise<readonly object[]> {
    return this.#options.shelf.list(new Set(Array.isArray(held) ? held : []));
  }

  async deleteConversation(id: unknown): Promise<void> {
    const { history, shelf } = this.#options;
    const isOwn = id === history.key.id;
    // An answer saves its end, which would make the conversation again.
    if (isOwn) await this.#stop();
    try {
      await shelf.remove(String(id));
    } catch (error) {
      // Without its first answer, nothing of it is left.
      const isGone = PagewireError.isInstance(error) && error.code === "conversation-not-found";
      if (!isOwn || !isGone) throw error;
    }
  }

  /** Stops what runs; resolves when it is saved. */
  async close(): Promise<void> {
    const stopped = this.#stop();
    this.#setClosed();
    for (const id of [...this.#waiting.keys()]) this.#stopWaiting(id);
    await stopped;
    this.#options.history.close();
  }

  async #stop(): Promise<void> {
    this.abort();
    await Promise.allSettled(this.#answers);
    await this.#save();
  }

  async #answer(given: unknown, start: (options: AiRequestOptions) => Promise<string | null>): Promise<string | null> {
    const { history, checkQuota, begin } = this.#options;
    history.checkRoom();
    checkQuota(0);
    const ai = this.#useModel();
    const { options, tools } = this.#request(given, ai);
    this.#quota = undefined;
    // The rehearsal provider accepts any model name; metrics must not.
    const end = begin(ai.isRehearsal ? "rehearsal" : options.model);
    const obstacle = () => refusalOf(() => checkQuota(meter.tokens()));
    const failed = (failure: unknown) => this.#options.failed(failure, ai);
    const meter = createMeter({ fetch: ai.fetch ?? fetch, obstacle, failed });
    let question: Promise<void> | undefined;
    const ask: typeof fetch = async (input, init) => {
      // Not earlier: the last text of an answer that this one stops must not be counted here.
      this.#meter = meter;
      // `question` is assigned only after this function starts.
      await Promise.resolve();
      await question;
      await this.#options.stay?.();
      await this.#options.prepare?.(ai);
      return meter.fetch(input, init);
    };
    const answer = (async () => {
      let result: string | null = null;
      try {
        const asked = start({ ...options, fetch: ask });
        // Not earlier: a refused request must not affect the current answer and its waiting calls.
        this.#tools = tools;
        this.#options.records.begin(tools);
        question = history.keepQuestion(super.messages);
        return (result = await asked);
      } finally {
        end(meter.tokens(), result !== null);
        this.#tellQuota();
      }
    })();
    this.#answers.add(answer);
    try {
      return await answer;
    } finally {
      this.#answers.delete(answer);
      await this.#save();
    }
  }

  #tellQuota(): void {
    try {
      this.#quota = this.#options.left();
    } catch {
      // The next question says why the limits cannot be read.
    }
    const { usage } = this;
    if (usage?.quota) this.dispatchEvent(new CustomEvent("ai-agent:usage-changed", { detail: usage }));
  }

  #useModel(): ResolvedAi {
    const ai = this.#options.ai();
    if (ai !== this.#ai) super.provider = ai.provider;
    return (this.#ai = ai);
  }

  #request(
    given: unknown,
    ai: ResolvedAi,
  ): { readonly options: AiRequestOptions; readonly tools: readonly PageTool[] } {
    const { principal, limits, pageTools, parent, consents, refusalOf, records, isOwner } = this.#options;
    const rules = { schemaBytes: limits.schemaBytes, isPage: consents === undefined, isOwner: isOwner() };
    const { options: asked, tools: wish } = readRequest(given, ai, rules);
    const refusal = refusalOf(asked.from);
    if (refusal) throw refusal;
    const system = [ai.systemFor(principal), asked.system].filter((text) => text !== undefined).join("\n\n");
    const server = ai.toolsFor(principal);
    const chosen = chooseTools(wish, { server, page: pageTools });
    const serverTools = new Set(server.map((tool) => (tool === "page" ? tool : tool.name)));
    const writers = () => writersIn(super.messages, serverTools);
    const decisionOn = consents && ((tool: PageTool) => consents.decisionOn(principal, tool));
    const { consented } = records;
    const guarded = decisionOn ? guardTools(chosen, { writers, parent, decisionOn, consented }) : chosen;
    const { stay } = this.#options;
    const tools = stay ? fenceTools(guarded, stay) : guarded;
    const options = {
      ...ai.fixedFor(asked.baseUrl),
      ...asked,
      ...(system === "" ? {} : { system }),
      ...(tools.length === 0 ? {} : { tools }),
    };
    return { options, tools };
  }

  #measure(): void {
    const calls = super.toolCalls.reduce((sum, call) => sum + call.arguments.length, 0);
    this.#meter?.written(super.content.length + super.reasoning.length + calls);
  }

  /** Refuses a call that is not approved in time: the user's client may be unable to show the question. */
  #watch(calls: readonly AiToolCallState[]): void {
    this.#options.records.follow(calls);
    for (const call of calls) {
      if (call.status !== "waiting") this.#stopWaiting(call.id);
      else if (!this.#waiting.has(call.id)) this.#wait(call);
    }
  }

  #wait(call: AiToolCallState): void {
    const { limits, records, waits } = this.#options;
    const { id } = call;
    const refuse = () => {
      this.#stopWaiting(id);
      if (super.settleToolCall(id, false)) records.decided(id, { approved: false, by: "time" });
    };
    // The page's own name; the listed one depends on the open tabs.
    const name = this.#tools.find((tool) => tool.name === call.name)?.ownName ?? call.name;
    const listed = waits({ ...call, name }, ({ allow, scope = "once" as const }) => {
      const refused = { approved: false, scope: scope === "always" ? scope : "once" } as const;
      return this.#settle(id, allow ? { approved: true, scope } : refused, "inbox");
    });
    this.#waiting.set(id, { timer: setTimeout(refuse, limits.approvalTime), listed });
  }

  /** The tool of a waiting call; undefined if a decision can only count for this one call. */
  #waitingTool(id: string): PageTool | undefined {
    const call = super.toolCalls.find((each) => each.id === id && each.status === "waiting");
    return call?.approval?.once ? undefined : this.#tools.find(({ name }) => name === call?.name);
  }

  async #decide(consents: Consents, tool: PageTool, approved: boolean): Promise<void> {
    const { principal } = this.#options;
    try {
      await consents.keep(principal, tool, approved);
    } catch (error) {
      this.#unsavedDecision = { tool: tool.name, why: messageOf(error) };
      this.#tellNotSaved();
      await Promise.race([consents.whenSaved(principal), this.#closed]);
      this.#unsavedDecision = undefined;
      this.#tellNotSaved();
    }
  }

  #tellNotSaved(): void {
    this.dispatchEvent(new CustomEvent("ai-agent:not-saved-changed", { detail: this.notSaved }));
  }

  #stopWaiting(id: string): void {
    const { timer, listed } = this.#waiting.get(id) ?? {};
    clearTimeout(timer);
    listed?.close("nobody");
    this.#waiting.delete(id);
  }

  /** Saves settled messages only: during an answer the history contains a part of it. */
  async #save(): Promise<void> {
    if (this.#answers.size === 0) await this.#options.history.keep(super.messages);
  }
}

function detailOf<Detail>(event: Event): Detail {
  return (event as CustomEvent<Detail>).detail;
}
