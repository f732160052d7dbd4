// A browser's extension API in memory: the others see what one context stores, as JSON and later, as in a browser.
import type {
  BrowserTab,
  ContentScript,
  ExtensionApi,
  ExtensionEvent,
  Origins,
  RuntimePort,
  Sender,
  StorageArea,
  StorageChange,
} from "./browser-api.ts";

export interface FakeEvent<Parameters extends unknown[]> extends ExtensionEvent<(...given: Parameters) => void> {
  fire(...given: Parameters): void;
  clear(): void;
}

type Injection = Parameters<ExtensionApi["scripting"]["executeScript"]>[0];

/** The parts of the API that a content script has. */
export type ContentApi = Pick<ExtensionApi["runtime"], "id" | "connect" | "sendMessage">;

export interface FakeExtension {
  /** For the worker and the extension's own pages. */
  readonly api: ExtensionApi;
  /** For a script in a page: the sender is what the browser says about it. */
  contentApi(sender: Sender): ContentApi;
  /** The person's answers to the browser's own prompt. */
  grants: boolean;
  /** Every permission that was asked for, in order. */
  readonly requests: readonly Origins[];
  /** The granted patterns. */
  readonly granted: Set<string>;
  readonly tabs: Map<number, BrowserTab>;
  /** Every tab that was loaded again, in order. */
  readonly reloaded: number[];
  readonly windows: Map<number, string>;
  /** The browser stops the worker: it gets no more events, and its ports are gone. */
  stopWorker(): void;
  /** The person closes it. */
  closeWindow(id: number): void;
  /** The browser's last words for the button; `text` and `title` by tab, with -1 for all. */
  readonly action: { color: string; readonly text: Map<number, string>; readonly title: Map<number, string> };
  readonly scripts: Map<string, ContentScript>;
  /** Every script that was executed, in order. A test can have the execution fail. */
  readonly injections: Injection[];
  executes: (injection: Injection) => unknown;
  readonly optionsOpened: () => number;
  readonly happens: {
    readonly tabRemoved: FakeEvent<[number]>;
    readonly tabUpdated: FakeEvent<[number, { readonly status?: string; readonly url?: string }, BrowserTab]>;
    readonly tabActivated: FakeEvent<[{ readonly tabId: number; readonly windowId: number }]>;
  };
}

const id = "abcdefghijklmnopabcdefghijklmnop";

export function createFakeExtension(scheme: "chrome-extension" | "moz-extension" = "chrome-extension"): FakeExtension {
  const origin = `${scheme}://${id}`;
  const changed = createEvent<[Readonly<Record<string, StorageChange>>, string]>();
  const permissions = createPermissions();
  const runtime = createRuntime();
  const windows = new Map<number, string>();
  const windowRemoved = createEvent<[number]>();
  const tabs = new Map<number, BrowserTab>();
  const scripts = new Map<string, ContentScript>();
  const injections: Injection[] = [];
  const action = { color: "", text: new Map<number, string>(), title: new Map<number, string>() };
  const happens = {
    tabRemoved: createEvent<[number]>(),
    tabUpdated: createEvent<[number, { readonly status?: string; readonly url?: string }, BrowserTab]>(),
    tabActivated: createEvent<[{ readonly tabId: number; readonly windowId: number }]>(),
  };
  let opened = 0;
  let lastId = 100;

  const closeWindow = (window: number): void => {
    if (windows.delete(window)) later(() => windowRemoved.fire(window));
  };

  const fake: FakeExtension = {
    ...{ grants: true, requests: permissions.requests, granted: permissions.granted, tabs, windows, closeWindow },
    reloaded: [],
    ...{ action, scripts, injections, executes: () => undefined, optionsOpened: () => opened, happens },
    contentApi: runtime.contentApi,
    stopWorker() {
      runtime.stop();
      for (const event of [changed, windowRemoved, permissions.onAdded, permissions.onRemoved]) event.clear();
      for (const event of Object.values(happens)) event.clear();
    },
    api: {
      runtime: {
        ...runtime.contentApi({ id, origin, url: `${origin}/popup.html` }),
        getURL: (path) => `${origin}/${path.replace(/^\//, "")}`,
        getManifest: () => ({ version: "1.2.3" }),
        onConnect: runtime.connected,
        onMessage: runtime.listeners,
        openOptionsPage: async () => void opened++,
      },
      storage: { local: createArea("local", changed), session: createArea("session", changed), onChanged: changed },
      permissions: permissions.api(() => fake.grants),
      scripting: {
        async registerContentScripts(added) {
          const twice = added.find((script) => scripts.has(script.id));
          if (twice) throw new Error(`Duplicate script ID '${twice.id}'`);
          for (const script of added) scripts.set(script.id, { persistAcrossSessions: true, ...copy(script) });
        },
        async updateContentScripts(changed) {
          const missing = changed.find((script) => !scripts.has(script.id));
          if (missing) throw new Error(`Nonexistent script ID '${missing.id}'`);
          for (const script of changed) {
            scripts.set(script.id, { ...scripts.get(script.id), persistAcrossSessions: false, ...copy(script) });
          }
        },
        async unregisterContentScripts({ ids }) {
          const missing = ids.find((each) => !scripts.has(each));
          if (missing !== undefined) throw new Error(`Nonexistent script ID '${missing}'`);
          for (const each of ids) scripts.delete(each);
        },
        getRegisteredContentScripts: async () => [...scripts.values()],
        async executeScript(injection) {
          injections.push(injection);
          return [{ result: await fake.executes(injection) }];
        },
      },
      tabs: {
        get: async (tab) => tabs.get(tab) ?? fail(`No tab with id: ${tab}.`),
        query: async ({ active }) => [...tabs.values()].filter((tab) => active === undefined || tab.active === active),
        reload: async (tab) => void fake.reloaded.push(tabs.has(tab) ? tab : fail(`No tab with id: ${tab}.`)),
        captureVisibleTab: async (window, { format }) => `data:image/${format};base64,${btoa(`window ${window}`)}`,
        ...{ onRemoved: happens.tabRemoved, onUpdated: happens.tabUpdated, onActivated: happens.tabActivated },
      },
      windows: {
        async create({ url }) {
          windows.set(++lastId, url);
          return { id: lastId };
        },
        update: async (window) => windows.get(window) ?? fail(`No window with id: ${window}.`),
        async remove(window) {
          if (!windows.has(window)) fail(`No window with id: ${window}.`);
          closeWindow(window);
        },
        onRemoved: windowRemoved,
      },
      action: {
        setBadgeText: async ({ text, tabId = -1 }) =>
          void (text === null ? action.text.delete(tabId) : action.text.set(tabId, text)),
        setBadgeBackgroundColor: async ({ color }) => void (action.color = color),
        setTitle: async ({ title, tabId = -1 }) => void action.title.set(tabId, title),
      },
    },
  };
  return fake;
}

function createEvent<Parameters extends unknown[]>(): FakeEvent<Parameters> {
  const listeners = new Set<(...given: Parameters) => void>();
  return {
    addListener: (listener) => void listeners.add(listener),
    removeListener: (listener) => void listeners.delete(listener),
    fire: (...given) => [...listeners].forEach((listener) => listener(...given)),
    clear: () => listeners.clear(),
  };
}

function createArea(area: string, changed: FakeEvent<[Readonly<Record<string, StorageChange>>, string]>): StorageArea {
  const kept = new Map<string, unknown>();
  const tell = (changes: Readonly<Record<string, StorageChange>>): void => {
    if (Object.keys(changes).length > 0) later(() => changed.fire(changes, area));
  };
  return {
    async get(names) {
      const wanted = names === null ? [...kept.keys()] : [names].flat();
      return Object.fromEntries(wanted.filter((name) => kept.has(name)).map((name) => [name, copy(kept.get(name))]));
    },
    async set(items) {
      const changes: Record<string, StorageChange> = {};
      for (const [name, value] of Object.entries(items)) {
        const oldValue = kept.get(name);
        if (JSON.stringify(oldValue) === JSON.stringify(value)) continue;
        kept.set(name, copy(value));
        changes[name] = { ...(oldValue !== undefined && { oldValue }), newValue: copy(value) };
      }
      tell(changes);
    },
    async remove(names) {
      const gone = [names].flat().filter((name) => kept.has(name));
      const changes = Object.fromEntries(gone.map((name) => [name, { oldValue: kept.get(name) }]));
      for (const name of gone) kept.delete(name);
      tell(changes);
    },
    setAccessLevel: async () => {},
  };
}

function createPermissions() {
  const granted = new Set<string>();
  const requests: Origins[] = [];
  const onAdded = createEvent<[{ readonly origins?: string[] }]>();
  const onRemoved = createEvent<[{ readonly origins?: string[] }]>();
  /** A pattern without a port covers all ports. */
  const isGranted = (pattern: string): boolean =>
    granted.has(pattern) || granted.has(pattern.replace(/:\d+\/\*$/, "/*"));
  const api = (grants: () => boolean): ExtensionApi["permissions"] => ({
    contains: async ({ origins }) => origins.every(isGranted),
    getAll: async () => ({ origins: [...granted] }),
    async request(wanted) {
      requests.push(wanted);
      if (!grants()) return false;
      const added = wanted.origins.filter((pattern) => !isGranted(pattern));
      for (const pattern of added) granted.add(pattern);
      if (added.length > 0) later(() => onAdded.fire({ origins: added }));
      return true;
    },
    async remove({ origins }) {
      const removed = origins.filter((pattern) => granted.delete(pattern));
      if (removed.length > 0) later(() => onRemoved.fire({ origins: removed }));
      return removed.length > 0;
    },
    ...{ onAdded, onRemoved },
  });
  return { granted, requests, onAdded, onRemoved, api };
}

function createRuntime() {
  const connected = createEvent<[RuntimePort]>();
  type Listener = Parameters<ExtensionApi["runtime"]["onMessage"]["addListener"]>[0];
  const heard = new Set<Listener>();
  const ports = new Set<RuntimePort>();
  const contentApi = (sender: Sender): ContentApi => ({
    id,
    connect({ name }) {
      const [here, there] = createPorts(name, sender);
      ports.add(there);
      later(() => connected.fire(there));
      return here;
    },
    sendMessage: (message) =>
      new Promise((resolve, reject) =>
        later(() => {
          const isLater = [...heard].map((listener) =>
            listener(copy(message), sender, (value) => resolve(copy(value))),
          );
          if (heard.size === 0) reject(new Error("Could not establish connection. Receiving end does not exist."));
          else if (!isLater.includes(true)) resolve(undefined);
        }),
      ),
  });
  const listeners: ExtensionApi["runtime"]["onMessage"] = {
    addListener: (listener) => void heard.add(listener),
    removeListener: (listener) => void heard.delete(listener),
  };
  function stop(): void {
    connected.clear();
    heard.clear();
    for (const port of ports) port.disconnect();
    ports.clear();
  }
  return { connected, listeners, contentApi, stop };
}

/** Two ends: that of the script, and that of the worker, which knows the sender. */
function createPorts(name: string, sender: Sender): readonly [RuntimePort, RuntimePort] {
  let isOpen = true;
  const ends = [0, 1].map(() => ({ message: createEvent<[unknown]>(), disconnected: createEvent<[]>() }));
  const portOf = (own: number): RuntimePort => {
    const [here, there] = [ends[own], ends[1 - own]];
    if (!here || !there) throw new Error("A port has two ends.");
    return {
      name,
      ...(own === 1 && { sender }),
      postMessage(message) {
        if (!isOpen) throw new Error("Attempting to use a disconnected port object");
        const sent = copy(message);
        later(() => isOpen && there.message.fire(sent));
      },
      disconnect() {
        if (!isOpen) return;
        later(() => {
          isOpen = false;
          there.disconnected.fire();
        });
      },
      ...{ onMessage: here.message, onDisconnect: here.disconnected },
    };
  };
  return [portOf(0), portOf(1)];
}

function copy<Value>(value: Value): Value {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as Value);
}

function later(run: () => void): void {
  queueMicrotask(run);
}

function fail(message: string): never {
  throw new Error(message);
}
