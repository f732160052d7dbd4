// The tabs of one running browser: opening, finding, hiding, closing. Does not know how the browser was started.
import type { Cdp } from "./cdp.ts";
import { Tab } from "./tab.ts";
import type { TabHost } from "./tab.ts";
import { waitUntil, within } from "./wait.ts";

/** The place of a new tab. By default it opens in front, in the most recently active window. */
export interface OpenOptions {
  readonly background?: boolean;
  readonly newWindow?: boolean;
  /** Opened by this tab's page with window.open, as after a click: sessionStorage is copied and `opener` is set. */
  readonly fromOpener?: Tab;
}

interface TargetInfo {
  readonly targetId: string;
  readonly type: string;
  readonly url: string;
  readonly browserContextId: string;
  readonly openerId?: string;
}

interface TargetEvent {
  readonly targetInfo: TargetInfo;
}

/** Opens and finds the tabs of a browser. */
export class Tabs {
  readonly #cdp: Cdp;
  readonly #context: string | undefined;
  readonly #infos = new Map<string, TargetInfo>();
  readonly #tabs = new Map<string, Promise<Tab>>();
  /** In each window, a blank tab, hidden from the tests, that can be put in front of the others. */
  readonly #covers = new Map<number, string>();

  /** The tabs of a profile in memory, a "browser context", or those of all. */
  constructor(cdp: Cdp, context?: string) {
    this.#cdp = cdp;
    this.#context = context;
    cdp.on<TargetEvent>("Target.targetCreated", ({ targetInfo }) => {
      if (targetInfo.type === "page" && this.#isOwn(targetInfo)) this.#infos.set(targetInfo.targetId, targetInfo);
    });
    cdp.on<{ targetId: string }>("Target.targetDestroyed", ({ targetId }) => {
      this.#infos.delete(targetId);
      this.#tabs.delete(targetId);
    });
  }

  /** Waits for the browser's first tab. It stays open, so that the window stays open when all other tabs are closed. */
  async start(): Promise<void> {
    const first = this.#cdp.next<TargetEvent>(["Target.targetCreated"], ({ targetInfo }) => targetInfo.type === "page");
    const [{ targetInfo }] = await Promise.all([
      first,
      this.#cdp.send("Target.setDiscoverTargets", { discover: true }),
    ]);
    await this.#keepAsCover(targetInfo.targetId);
  }

  /** Opens the first tab of a profile in memory, which stays open. */
  async startProfile(): Promise<void> {
    await this.#keepAsCover(await this.#create("about:blank", { background: false, newWindow: true }));
  }

  /** Opens an address and waits until it is loaded. */
  async open(url: string, { background = false, newWindow = false, fromOpener }: OpenOptions = {}): Promise<Tab> {
    const tab =
      fromOpener === undefined
        ? await this.#tab(await this.#create(url, { background, newWindow }))
        : await fromOpener.popup(() => fromOpener.evaluateAsUser(`void window.open(${JSON.stringify(url)})`));
    await tab.loaded(url);
    return tab;
  }

  /** All open tabs, including pop-ups. */
  list(): Promise<Tab[]> {
    return this.#find(() => true);
  }

  /**
   * Closes all tabs but these, including crashed ones, to which no debugger can attach. Shared workers end with their
   * tabs: a page that opens while a worker ends may share its process, and die with it.
   */
  async closeAll(staying: readonly string[] = []): Promise<void> {
    const ids = [...this.#infos.keys()].filter((id) => !staying.includes(id));
    await Promise.all(ids.map((id) => this.#close(id)));
    if (staying.length > 0) return;
    const isAlone = async () => !(await this.#workers("")).some(({ type }) => type === "shared_worker");
    await waitUntil(isAlone, () => "A shared worker lives on without a tab.");
  }

  /** Ends the shared and service workers whose address contains this; returns how many there were. */
  async closeWorkers(urlPart: string): Promise<number> {
    const workers = await this.#workers(urlPart);
    await Promise.all(workers.map(({ targetId }) => this.#cdp.send("Target.closeTarget", { targetId })));
    return workers.length;
  }

  /** Starts a script in the shared and service workers whose address contains this, without waiting for its end. */
  async startInWorkers(urlPart: string, expression: string): Promise<number> {
    const workers = await this.#workers(urlPart);
    for (const { targetId } of workers) {
      const { sessionId } = await this.#cdp.send<{ sessionId: string }>("Target.attachToTarget", {
        targetId,
        flatten: true,
      });
      // A hanging worker never answers.
      this.#cdp
        .session(sessionId)
        .send("Runtime.evaluate", { expression })
        .catch(() => {});
    }
    return workers.length;
  }

  async #workers(urlPart: string): Promise<TargetInfo[]> {
    const { targetInfos } = await this.#cdp.send<{ targetInfos: TargetInfo[] }>("Target.getTargets", { filter: [{}] });
    const isWorker = (type: string) => ["shared_worker", "service_worker"].includes(type);
    return targetInfos.filter((info) => isWorker(info.type) && info.url.includes(urlPart) && this.#isOwn(info));
  }

  #isOwn({ browserContextId }: TargetInfo): boolean {
    return this.#context === undefined || browserContextId === this.#context;
  }

  async #find(accept: (info: TargetInfo) => boolean): Promise<Tab[]> {
    const ids = [...this.#infos.values()].filter(accept).map((info) => info.targetId);
    const tabs = await Promise.all(ids.map((id) => this.#tab(id).catch((error: Error) => error)));
    return tabs.filter((tab, index) => {
      if (tab instanceof Tab) return true;
      // A tab may close during the search.
      if (this.#infos.has(ids[index] ?? "")) throw tab;
      return false;
    }) as Tab[];
  }

  #tab(id: string): Promise<Tab> {
    const attach = async (): Promise<Tab> => {
      const tab = new Tab(id, this.#hostFor(id));
      await tab.attach();
      return tab;
    };
    const tab = this.#tabs.get(id) ?? attach();
    this.#tabs.set(id, tab);
    tab.catch(() => this.#tabs.delete(id));
    return tab;
  }

  #hostFor(targetId: string): TabHost {
    return {
      attach: async () => {
        const target = { targetId, flatten: true };
        const { sessionId } = await this.#cdp.send<{ sessionId: string }>("Target.attachToTarget", target);
        const detach = async (): Promise<void> => void (await this.#cdp.send("Target.detachFromTarget", { sessionId }));
        return { ...this.#cdp.session(sessionId), detach };
      },
      activate: () => this.#activate(targetId),
      cover: () => this.#cover(targetId),
      close: () => this.#close(targetId),
      popups: () => this.#find((info) => info.openerId === targetId),
      popup: (action) => this.#popup(targetId, action),
    };
  }

  async #create(url: string, where: { background: boolean; newWindow: boolean }): Promise<string> {
    const profile = this.#context === undefined ? {} : { browserContextId: this.#context };
    return (await this.#cdp.send<{ targetId: string }>("Target.createTarget", { url, ...where, ...profile })).targetId;
  }

  async #activate(targetId: string): Promise<void> {
    await this.#cdp.send("Target.activateTarget", { targetId });
  }

  async #close(targetId: string): Promise<void> {
    if (!this.#infos.has(targetId)) return;
    const gone = this.#cdp.next<TargetInfo>(["Target.targetDestroyed"], (event) => event.targetId === targetId);
    await Promise.all([gone, this.#cdp.send("Target.closeTarget", { targetId })]);
  }

  async #popup(openerId: string, action: () => Promise<unknown>): Promise<Tab> {
    const created = this.#cdp.next<TargetEvent>(
      ["Target.targetCreated"],
      ({ targetInfo }) => targetInfo.type === "page" && targetInfo.openerId === openerId,
    );
    const [{ targetInfo }] = await within(
      Promise.all([created, action()]),
      () => "No tab was opened. Without a click, or evaluateAsUser, pop-ups are blocked.",
    );
    return this.#tab(targetInfo.targetId);
  }

  async #cover(targetId: string): Promise<void> {
    const cover = this.#covers.get(await this.#windowOf(targetId));
    if (cover !== undefined) return this.#activate(cover);
    // A new tab opens in the most recently active window.
    await this.#activate(targetId);
    await this.#keepAsCover(await this.#create("about:blank", { background: false, newWindow: false }));
  }

  async #keepAsCover(targetId: string): Promise<void> {
    this.#infos.delete(targetId);
    this.#covers.set(await this.#windowOf(targetId), targetId);
  }

  async #windowOf(targetId: string): Promise<number> {
    return (await this.#cdp.send<{ windowId: number }>("Browser.getWindowForTarget", { targetId })).windowId;
  }
}
