import type {
  FrameFromAgent,
  FrameFromExtension,
  FrameFromPage,
  FrameFromView,
  FrameToAgent,
  FrameToExtension,
  FrameToPage,
  FrameToView,
} from "./index.ts";

/** One header of each type, with every field that it can have. */
type Samples<Frame extends { readonly type: string }> = {
  readonly [Type in Frame["type"]]: Required<Extract<Frame, { readonly type: Type }>>;
};

const progress = { type: "progress", id: "call-1", progress: 0.5, total: 1, message: "half" } as const;
const log = { type: "log", id: "call-1", level: "warning", logger: "shop" } as const;
const ask = { type: "ask", id: "call-1", ask: "ask-1", method: "elicitation/create" } as const;
const answer = { type: "answer", id: "call-1", ask: "ask-1", code: "ask-failed", message: "nobody there" } as const;
const refused = {
  type: "refused",
  code: "token-required",
  message: "Give a token.",
  command: "pagewire token",
} as const;
const goaway = { type: "goaway", within: 5000 } as const;
const heartbeat = { type: "heartbeat" } as const;
const trace = {
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  tracestate: "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE",
} as const;
const cancel = { type: "cancel", id: "call-1", reason: "not needed" } as const;
const failure = {
  type: "failure",
  id: "call-1",
  outcome: "deadline-exceeded",
  ran: "maybe",
  code: "deadline-exceeded",
  message: "Too late.",
  retryAfter: 100,
} as const;

export const samplesFromExtension: Samples<FrameFromExtension> = {
  hello: {
    type: "hello",
    versions: [1],
    tab: "tab-1",
    app: "news.example",
    title: "News",
    url: "https://news.example/",
    focused: true,
    token: "pagewire-browser.token",
    running: ["call-1"],
    epochs: ["epoch-1"],
    batches: true,
    approves: true,
    dialog: "Sign in to git.example",
    origin: "https://news.example",
  },
  pair: { type: "pair", code: "code", name: "Ann's Chrome – 語" },
  unpair: { type: "unpair", token: "pagewire-browser.token" },
};

export const samplesToExtension: Samples<FrameToExtension> = {
  paired: { type: "paired", token: "pagewire-browser.token", name: "Chrome 2", expiresAt: 1_800_000_000_000 },
  refused,
  heartbeat: { type: "heartbeat", within: 5000 },
  goaway,
};

export const samplesFromPage: Samples<FrameFromPage> = {
  hello: {
    type: "hello",
    versions: [1],
    tab: "tab-1",
    app: "shop",
    title: "Shop – 語",
    url: "https://shop.example/",
    focused: true,
    token: "token",
    running: ["call-1"],
    epochs: ["epoch-1", "epoch-2"],
    batches: true,
    approves: true,
    dialog: "Sign in to git.example",
  },
  offer: { type: "offer" },
  "offer-change": { type: "offer-change" },
  tab: {
    type: "tab",
    title: "Shop",
    url: "https://shop.example/cart",
    focused: false,
    epochs: ["epoch-2"],
    dialog: "Sign in to git.example",
  },
  ack: { type: "ack", id: "call-1" },
  progress,
  log,
  ask: { ...ask, inPage: true },
  answered: { ...answer, type: "answered" },
  result: { type: "result", id: "call-1", isError: true, inputRequired: true },
  failure,
  suspended: { type: "suspended", reason: "back-forward-cache", final: true },
  resumed: { type: "resumed" },
  wake: { type: "wake" },
  updated: { type: "updated", uri: "shop://cart" },
  heartbeat,
  bye: { type: "bye", final: true },
};

export const samplesToPage: Samples<FrameToPage> = {
  welcome: {
    type: "welcome",
    version: 1,
    tab: "tab-1",
    at: 12.5,
    heartbeat: 15_000,
    within: 500,
    message: "No hub answers.",
  },
  refused,
  call: {
    type: "call",
    id: "call-1",
    key: "key-1",
    method: "tools/call",
    name: "add_to_cart",
    left: 60_000,
    at: 12.5,
    agent: { name: "agent", version: "1.0" },
    asks: ["elicitation/create", "sampling/createMessage", "roots/list"],
    resume: true,
    rounds: true,
    approve: true,
    input: true,
    epoch: "epoch-2",
    trace,
  },
  cancel,
  answer,
  heartbeat: { ...heartbeat, within: 500 },
  goaway,
};

export const samplesFromAgent: Samples<FrameFromAgent> = {
  hello: { type: "hello", versions: [2, 1], token: "token", agent: { name: "cli" }, asks: [], session: "session-1" },
  list: { type: "list", id: "list-1", what: "tabs", tab: "tab-1", size: 100, cursor: "100.1", search: "sales" },
  call: {
    type: "call",
    id: "call-1",
    method: "resources/read",
    name: "shop://cart",
    tab: "tab-1",
    key: "k",
    left: 0,
    trace,
  },
  cancel,
  answer,
  watch: { type: "watch", on: true, batches: true },
  heartbeat,
};

export const samplesToAgent: Samples<FrameToAgent> = {
  welcome: { type: "welcome", version: 1, agent: "agent-1", heartbeat: 15_000 },
  refused,
  listing: {
    type: "listing",
    id: "list-1",
    nextCursor: "200.1",
    code: "tab-not-found",
    message: "There is no such tab.",
  },
  ack: { type: "ack", id: "call-1", tab: "tab-1" },
  progress,
  log,
  ask,
  answered: { type: "answered", id: "call-1", ask: "ask-1" },
  result: { type: "result", id: "call-1", isError: false, replay: true, notSaved: true },
  failure: { ...failure, replay: true, notSaved: true },
  changed: { type: "changed" },
  watched: { type: "watched" },
  missed: { type: "missed", count: 12 },
  heartbeat,
  goaway: { ...goaway, elsewhere: true },
};

const terminals = [{ id: "terminal-1", name: "Terminal – 語", createdAt: 1_700_000_000_000 }];

export const samplesFromView: Samples<FrameFromView> = {
  hello: { type: "hello", version: 1, code: "code", token: "token", key: "key" },
  open: {
    type: "open",
    terminal: "terminal-1",
    name: "build",
    columns: 80,
    rows: 24,
    stream: "stream-1",
    from: 0,
  },
  input: { type: "input" },
  resize: { type: "resize", columns: 1000, rows: 1 },
  here: { type: "here", tab: "tab-1", focused: true },
  seen: { type: "seen", at: Number.MAX_SAFE_INTEGER },
  end: { type: "end", terminal: "terminal-1" },
  rename: { type: "rename", terminal: "terminal-1", name: "build" },
  "sign-out": { type: "sign-out" },
  heartbeat,
};

export const samplesToView: Samples<FrameToView> = {
  welcome: { type: "welcome", version: 1, token: "token", expiresAt: 12.5, terminals, tmux: true, heartbeat: 15_000 },
  opened: {
    type: "opened",
    terminal: "terminal-1",
    name: "build",
    stream: "stream-1",
    at: 4096,
    columns: 80,
    rows: 24,
    isNew: false,
  },
  output: { type: "output", at: 0 },
  size: { type: "size", columns: 120, rows: 40 },
  attached: { type: "attached", tab: "tab-1" },
  terminals: { type: "terminals", terminals },
  exited: { type: "exited", code: 3, signal: "SIGKILL" },
  failed: { type: "failed", code: "terminal-not-found", message: "There is no such terminal." },
  heartbeat,
};
