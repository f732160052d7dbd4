// The part of the browser's extension API that is used here: `chrome` in Chromium, `browser` in Firefox. Tests fake it.

export interface ExtensionEvent<Listener> {
  addListener(listener: Listener): void;
  removeListener(listener: Listener): void;
}

/** Identifies a script, or an extension's own page, that sends a message. */
export interface Sender {
  readonly id?: string;
  /** The origin of the document, as the browser knows it. */
  readonly origin?: string;
  readonly url?: string;
  readonly tab?: BrowserTab;
  /** 0 for a tab's top document. */
  readonly frameId?: number;
  readonly documentId?: string;
  readonly documentLifecycle?: "prerender" | "active" | "cached" | "pending_deletion";
}

export interface BrowserTab {
  readonly id?: number;
  readonly windowId: number;
  readonly active: boolean;
  readonly discarded?: boolean;
  /** Only for sites that the extension may access. */
  readonly url?: string;
  readonly title?: string;
}

/** Carries messages as JSON, and ends with either side. */
export interface RuntimePort {
  readonly name: string;
  readonly sender?: Sender;
  postMessage(message: unknown): void;
  disconnect(): void;
  readonly onMessage: ExtensionEvent<(message: unknown) => void>;
  readonly onDisconnect: ExtensionEvent<() => void>;
}

export interface StorageArea {
  get(names: string | readonly string[] | null): Promise<Readonly<Record<string, unknown>>>;
  set(items: Readonly<Record<string, unknown>>): Promise<void>;
  remove(names: string | readonly string[]): Promise<void>;
  /** Missing in Firefox, where content scripts can read `local`, and cannot read `session`. */
  setAccessLevel?(level: { readonly accessLevel: "TRUSTED_CONTEXTS" }): Promise<void>;
}

export interface StorageChange {
  readonly oldValue?: unknown;
  readonly newValue?: unknown;
}

export interface Origins {
  /** Match patterns, such as "https://shop.example/*". */
  readonly origins: string[];
}

export interface ContentScript {
  readonly id: string;
  readonly matches: string[];
  readonly excludeMatches?: string[];
  readonly js: string[];
  readonly runAt: "document_start" | "document_idle";
  readonly world: "ISOLATED" | "MAIN";
  readonly persistAcrossSessions?: boolean;
}

export interface ExtensionApi {
  readonly runtime: {
    /** Undefined in a content script of an extension that was removed or updated. */
    readonly id: string | undefined;
    getURL(path: string): string;
    getManifest(): { readonly version: string };
    connect(options: { readonly name: string }): RuntimePort;
    sendMessage(message: unknown): Promise<unknown>;
    readonly onConnect: ExtensionEvent<(port: RuntimePort) => void>;
    /** A listener that returns true answers later. */
    readonly onMessage: ExtensionEvent<
      (message: unknown, sender: Sender, answer: (value: unknown) => void) => boolean | undefined
    >;
    openOptionsPage(): Promise<void>;
  };
  readonly storage: {
    readonly local: StorageArea;
    readonly session: StorageArea;
    readonly onChanged: ExtensionEvent<(changes: Readonly<Record<string, StorageChange>>, area: string) => void>;
  };
  readonly permissions: {
    contains(origins: Origins): Promise<boolean>;
    getAll(): Promise<{ readonly origins?: string[] }>;
    /** Only in answer to a click. */
    request(origins: Origins): Promise<boolean>;
    remove(origins: Origins): Promise<boolean>;
    readonly onAdded: ExtensionEvent<(added: { readonly origins?: string[] }) => void>;
    readonly onRemoved: ExtensionEvent<(removed: { readonly origins?: string[] }) => void>;
  };
  readonly scripting: {
    registerContentScripts(scripts: readonly ContentScript[]): Promise<void>;
    updateContentScripts(scripts: readonly ContentScript[]): Promise<void>;
    unregisterContentScripts(filter: { readonly ids: string[] }): Promise<void>;
    getRegisteredContentScripts(): Promise<readonly ContentScript[]>;
    executeScript(injection: {
      readonly target: { readonly tabId: number; readonly documentIds?: string[]; readonly frameIds?: number[] };
      readonly files?: string[];
      readonly func?: () => unknown;
      readonly world?: "ISOLATED" | "MAIN";
      readonly injectImmediately?: boolean;
    }): Promise<readonly { readonly result?: unknown; readonly documentId?: string }[]>;
  };
  readonly tabs: {
    get(tabId: number): Promise<BrowserTab>;
    query(filter: {
      readonly active?: boolean;
      readonly currentWindow?: boolean;
      readonly url?: string;
    }): Promise<readonly BrowserTab[]>;
    reload(tabId: number): Promise<void>;
    captureVisibleTab(
      windowId: number,
      options: { readonly format: "png" | "jpeg"; readonly quality?: number },
    ): Promise<string>;
    readonly onRemoved: ExtensionEvent<(tabId: number) => void>;
    readonly onUpdated: ExtensionEvent<
      (tabId: number, change: { readonly status?: string; readonly url?: string }, tab: BrowserTab) => void
    >;
    /** Chromium gives a discarded tab another number. Missing where tabs keep theirs. */
    readonly onReplaced?: ExtensionEvent<(added: number, removed: number) => void>;
    readonly onActivated: ExtensionEvent<(active: { readonly tabId: number; readonly windowId: number }) => void>;
  };
  readonly windows: {
    create(options: {
      readonly url: string;
      readonly type: "popup";
      readonly width: number;
      readonly height: number;
      readonly focused?: boolean;
    }): Promise<{ readonly id?: number }>;
    update(
      windowId: number,
      options: { readonly focused?: boolean; readonly drawAttention?: boolean },
    ): Promise<unknown>;
    remove(windowId: number): Promise<void>;
    readonly onRemoved: ExtensionEvent<(windowId: number) => void>;
  };
  readonly action: {
    /** With null the tab has the text of all tabs again. */
    setBadgeText(details: { readonly text: string | null; readonly tabId?: number }): Promise<void>;
    setBadgeBackgroundColor(details: { readonly color: string }): Promise<void>;
    setTitle(details: { readonly title: string; readonly tabId?: number }): Promise<void>;
  };
}
