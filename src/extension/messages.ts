// The messages between the parts of the extension. Those of a content script are as trustworthy as its page: its origin, its
// tab and its rights are always those that the browser names, never those that a message names.
import type { PageCallEvent, PageState } from "../page/index.ts";
import type { JsonObject } from "../wire/index.ts";
import type { CallMode, SiteSettings } from "./settings.ts";

/** The name of the port between a page's script and the worker. */
export const pagePort = "page";

/** A tool as the popup lists it. */
export interface ShownTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly readOnly: boolean;
}

/** From a page's script, through its port. */
export type FromPage =
  | { readonly type: "open"; readonly link: number }
  | { readonly type: "message"; readonly link: number; readonly text: string }
  | { readonly type: "close"; readonly link: number; readonly code: number; readonly reason: string }
  /** A text for this tab and origin, that the next document of both reads. */
  | { readonly type: "save"; readonly name: string; readonly value: string }
  /** For the popup and the badge. */
  | { readonly type: "state"; readonly state: PageState }
  | { readonly type: "tools"; readonly tools: readonly ShownTool[]; readonly note?: string | undefined }
  | { readonly type: "call"; readonly call: PageCallEvent; readonly stopped?: boolean | undefined }
  /** A question to the person, asked in a window of the extension: before a call, or with the fields of an elicitation. */
  | { readonly type: "ask"; readonly ask: string; readonly question: PersonQuestion }
  | { readonly type: "ask-over"; readonly ask: string }
  /** The questions that wait, to a worker that may be another one: all others of this document are over. */
  | { readonly type: "asking"; readonly asks: readonly string[] }
  /** A picture of the tab, if it is the visible one. */
  | { readonly type: "capture"; readonly capture: string };

export type PersonQuestion =
  | {
      readonly kind: "call";
      readonly tool: string;
      readonly title?: string | undefined;
      readonly description: string;
      readonly destructive: boolean;
      readonly agent: string;
      readonly arguments: JsonObject;
    }
  | { readonly kind: "fields"; readonly parameters: JsonObject };

/** To a page's script, through its port. */
export type ToPage =
  /** The first message, and again when something of it changes. */
  | {
      readonly type: "settings";
      /** This tab's identity at the hub. */
      readonly tab: string;
      /** Undefined while the browser is not paired. */
      readonly hub: string | undefined;
      readonly paused: boolean;
      readonly site: SiteSettings;
      /** The texts that documents of this tab and origin saved. */
      readonly saved: Readonly<Record<string, string>>;
    }
  | { readonly type: "opened"; readonly link: number }
  | { readonly type: "failed"; readonly link: number; readonly message: string }
  | { readonly type: "message"; readonly link: number; readonly text: string }
  | { readonly type: "closed"; readonly link: number; readonly code: number; readonly reason: string }
  | { readonly type: "answer"; readonly ask: string; readonly answer: PersonAnswer }
  | { readonly type: "captured"; readonly capture: string; readonly picture?: string; readonly message?: string }
  /** The person stops a call. */
  | { readonly type: "stop"; readonly call: string }
  /** The person took the site's permission back: the script ends. */
  | { readonly type: "leave" };

export type PersonAnswer =
  | { readonly action: "allow"; readonly lasts: "once" | "document" }
  /** Unasked, if the person has refused the agent often. */
  | { readonly action: "refuse"; readonly isUnasked?: boolean | undefined }
  /** The fields of an elicitation, as MCP's result. */
  | { readonly action: "fields"; readonly result: JsonObject };

/** From the probe, which runs in each page of an allowed site before its scripts do. */
export type FromProbe = { readonly type: "tools-here" };

/** From the extension's own pages. Answered with `Reply`. */
export type FromOwnPage =
  | { readonly type: "pair"; readonly address: string; readonly code: string; readonly browser: string }
  | { readonly type: "unpair" }
  /** The popup was opened over a tab: a click on the extension's button, by which the browser lets the extension in again. */
  | { readonly type: "opened"; readonly tab: number }
  | { readonly type: "pause"; readonly paused: boolean }
  /** After the browser has granted the permission; "page" and "tab" rest on the click on the extension's button. */
  | { readonly type: "allow"; readonly tab: number; readonly origin: string; readonly lasts: "page" | "tab" | "always" }
  /** Before the browser asks for its permission: its own question may close the page that sends this. */
  | { readonly type: "asking"; readonly origin: string }
  | { readonly type: "remove-site"; readonly origin: string }
  | {
      readonly type: "site";
      readonly origin: string;
      readonly site: Partial<{ calls: CallMode; polyfill: boolean; reading: boolean }>;
    }
  | { readonly type: "stop-call"; readonly tab: number; readonly call: string }
  | { readonly type: "answer"; readonly ask: string; readonly answer: PersonAnswer };

export type Reply = { readonly ok: true } | { readonly ok: false; readonly message: string };

// The popup's state is in storage.session: the worker that writes it may be stopped at any time.

/** By `shownTab(id)` in storage.session. */
export interface ShownTab {
  readonly origin: string;
  /** How long the person allowed the site here; also before there is a tool. */
  readonly lasts?: "page" | "tab" | "always" | undefined;
  readonly state: PageState | undefined;
  readonly tools: readonly ShownTool[];
  /** Why the extension offers nothing here, such as: the page offers its tools to the same hub itself. */
  readonly note?: string | undefined;
  /** The newest first. */
  readonly calls: readonly ShownCall[];
}

export interface ShownCall {
  readonly id: string;
  readonly tool: string;
  readonly agent: string;
  readonly startedAt: number;
  /** Missing while it runs. */
  readonly outcome?: string | undefined;
  /** The person stopped it, and it ended without a result. */
  readonly stopped?: boolean | undefined;
  readonly milliseconds?: number | undefined;
}

/** By `shownAsk(id)` in storage.session, while the person is asked. */
export interface ShownAsk {
  readonly tab: number;
  readonly origin: string;
  readonly title: string;
  /** In milliseconds since 1970: the oldest question is asked first. */
  readonly askedAt: number;
  /** A `PersonQuestion` as JSON text: the browser's storage sorts the members of objects, and a person is to see what was sent. */
  readonly question: string;
}

/** By the name "hub" in storage.session: the hub's socket, also while no tab has a link. */
export interface ShownHub {
  readonly status: "unpaired" | "idle" | "connected" | "away" | "refused";
  /** A sentence for the person. */
  readonly message: string;
  /** The command that helps, if there is one. */
  readonly command?: string | undefined;
}

export const shownTab = (tab: number): string => `tab:${tab}`;
export const shownAsk = (ask: string): string => `ask:${ask}`;
export const shownHub = "hub";
/** The most calls of a tab that are kept for the popup. */
export const shownCallsMost = 20;
