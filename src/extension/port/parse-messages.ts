// The messages of a page's port and of the extension's own pages, as their receivers read them.
import { browserNameMost, outcomeNames, pageLimits } from "../../wire/index.ts";
import type { PageCallEvent, PageState } from "../../page/index.ts";
import type { FromOwnPage, FromPage, PersonAnswer, PersonQuestion, ShownTool, ToPage } from "../messages.ts";
import { callModes } from "../settings.ts";
import type { SiteSettings } from "../settings.ts";
import { fields, flag, json, list, number, oneOf, optional, shown, text, texts, tryRead, variants } from "./read.ts";
import type { Variants } from "./read.ts";

/** The most tools that the popup lists, and the longest text of one. */
export const shownToolsMost = 200;
const toolText = 250;
/** The most questions of a page that wait at once. */
export const askingMost = 10;
/** The most characters that are kept for the next document of a tab: a full memory of calls as JSON, which escapes it, has room. */
export const savedMost = 4_000_000;
/** The longest arguments, and questions with fields, that a person is asked about. */
export const askedMost = 262_144;

const id = text(128);
const sentence = shown(4096);
const via = fields({ kind: oneOf(["socket", "shared-worker", "service-worker"] as const), reason: optional(sentence) });

const stateOf = { message: sentence };
const waitOf = { ...stateOf, retryAt: number };
const state = variants<PageState>("status", {
  connecting: fields(stateOf),
  connected: fields({ ...stateOf, tabId: id, via }),
  reconnecting: fields(waitOf),
  refused: fields({ ...waitOf, code: text(64), command: optional(sentence) }),
  "signed-out": fields(stateOf),
  suspended: fields(stateOf),
  closed: fields(stateOf),
});

const tool = fields<ShownTool>({
  name: shown(128),
  title: optional(shown(toolText)),
  description: shown(toolText),
  readOnly: flag,
});

/** Without the arguments, which the popup does not show. */
const call = fields<Omit<PageCallEvent, "arguments">>({
  event: oneOf(["started", "progress", "ended"] as const),
  id,
  method: text(64),
  name: shown(512),
  agent: shown(256),
  agentVersion: optional(shown(256)),
  progress: optional(number) as () => number,
  total: optional(number),
  outcome: optional(oneOf(outcomeNames)) as () => (typeof outcomeNames)[number],
  milliseconds: optional(number) as () => number,
});

const question = variants<PersonQuestion>("kind", {
  call: fields({
    tool: shown(128),
    title: optional(shown(toolText)),
    description: shown(8192),
    destructive: flag,
    agent: shown(256),
    arguments: json(askedMost),
  }),
  fields: fields({ parameters: json(askedMost) }),
});

const answer = variants<PersonAnswer>("action", {
  allow: fields({ lasts: oneOf(["once", "document"] as const) }),
  refuse: fields({ isUnasked: optional(flag) }),
  fields: fields({ result: json(askedMost) }),
});

const closing = { link: number, code: number, reason: text(1024) };
const framed = { link: number, text: text(pageLimits.frameBytes) };

const fromPage = byType<FromPage>({
  open: { link: number },
  message: framed,
  close: closing,
  save: { name: id, value: text(savedMost) },
  state: { state },
  tools: { tools: list(tool, shownToolsMost), note: optional(sentence) },
  call: { call, stopped: optional(flag) },
  ask: { ask: id, question },
  "ask-over": { ask: id },
  asking: { asks: list(id, askingMost) },
  capture: { capture: id },
});

const site = fields<SiteSettings>({ calls: oneOf(callModes), polyfill: flag, reading: flag });

const toPage = byType<ToPage>({
  settings: { tab: id, hub: optional(text(2048)), paused: flag, site, saved: texts },
  opened: { link: number },
  failed: { link: number, message: sentence },
  message: framed,
  closed: closing,
  answer: { ask: id, answer },
  captured: {
    capture: id,
    picture: optional(text(Infinity)) as () => string,
    message: optional(sentence) as () => string,
  },
  stop: { call: id },
  leave: {},
});

const origin = text(512);

const fromOwnPage = byType<FromOwnPage>({
  pair: { address: text(2048), code: text(256), browser: text(browserNameMost) },
  unpair: {},
  opened: { tab: number },
  pause: { paused: flag },
  allow: { tab: number, origin, lasts: oneOf(["page", "tab", "always"] as const) },
  asking: { origin },
  "remove-site": { origin },
  site: {
    origin,
    site: fields({
      calls: optional(oneOf(callModes)),
      polyfill: optional(flag),
      reading: optional(flag),
    }) as () => Partial<SiteSettings>,
  },
  "stop-call": { tab: number, call: id },
  answer: { ask: text(256), answer },
});

function byType<Message extends { readonly type: string }>(types: Variants<Message>) {
  const readers = Object.entries(types).map(([type, readerOf]) => [type, fields(readerOf as object)]);
  return variants<Message>("type", Object.fromEntries(readers) as Record<string, () => object>);
}

/** Each is undefined for what is none of its messages. */
export const parseFromPage = (given: unknown): FromPage | undefined => tryRead(fromPage, given);
export const parseToPage = (given: unknown): ToPage | undefined => tryRead(toPage, given);
export const parseFromOwnPage = (given: unknown): FromOwnPage | undefined => tryRead(fromOwnPage, given);
