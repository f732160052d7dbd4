// A page's session with a hub: identifies its tab, publishes its offers, runs calls, and reports page lifecycle.
import type { LocalToolbox, MakeCalls } from "../../toolbox/index.ts";
import { toPage } from "../../wire/index.ts";
import type { FrameFromPage, FrameToPage, JsonObject, PageLimits } from "../../wire/index.ts";
import { createCallMemory } from "../calls/call-memory.ts";
import { Calls } from "../calls/calls.ts";
import type { Connected, Connection } from "./connection.ts";
import type { Dialog } from "../dialog/dialog.ts";
import type { TabEnvironment } from "../browser/environment.ts";
import { createOutbox } from "./outbox.ts";
import type { CallFollowers, PageState } from "../api/page.ts";
import type { PageOptions } from "../api/page-options.ts";
import { identifyTab } from "../browser/tab-identity.ts";

/** The `token` option, also where it is not a string. */
type Token = PageOptions["token"];

type Hello = Extract<FrameFromPage, { type: "hello" }>;

export interface Session {
  readonly frames: typeof toPage;
  /** The fields of a hello about this tab. */
  describe(): Omit<Hello, "type" | "versions" | "app" | "token">;
  /** Splits a message into frames. */
  split(message: string): readonly string[];
  /** Called when a hub welcomes this page. */
  welcomed(welcome: Extract<FrameToPage, { type: "welcome" }>): void;
  /** Handles any other frame of the hub. */
  take(frame: FrameToPage, payload: string): void;
  /** Whether two tokens are for the same principal. */
  readonly speaksForSame: (one: Token, other: Token) => boolean;
  /** Aborts running calls; the session stays usable. */
  abortCalls(): void;
  close(): void;
}

export interface SessionOptions {
  readonly toolbox: LocalToolbox;
  readonly limits: PageLimits;
  readonly hub: Connected;
  readonly retryNow: Connection["retryNow"];
  readonly loadDialog: () => Promise<Dialog>;
  readonly followers: CallFollowers;
  /** The page enters the back/forward cache. Held locks would keep it out. */
  readonly onCached: () => void;
  /** The browser suspended this page, or resumed it: then with undefined. */
  readonly onSuspension: (state: PageState | undefined) => void;
}

/** The chunk that only pages with a hub load. */
export interface SessionPart {
  startSession(options: SessionOptions): Promise<Session>;
  readonly makeCalls: MakeCalls;
}

/** Starts a session once the tab is identified. */
export async function createSession(
  options: SessionOptions,
  environment: TabEnvironment,
  tellExtension: (isOver?: boolean) => void = () => {},
): Promise<Session> {
  const { toolbox, limits, retryNow, loadDialog, followers, onCached, onSuspension } = options;
  const { send, split, flush } = createOutbox(options.hub, environment.afterTask);
  const tab = await identifyTab(environment);
  const memory = createCallMemory(environment);
  const calls = new Calls({ toolbox, environment, limits, memory, loadDialog, send, followers });
  /** The last description sent to the hub, as JSON. */
  let sent = "";
  let isSuspended = false;

  const describeTab = () => ({ ...environment.describe(), epochs: memory.epochs });

  /** Sends the tab's description if it changed since the last time. */
  function sendChanges(): void {
    const description = describeTab();
    const now = JSON.stringify(description);
    if (now !== sent && send({ type: "tab", ...description })) sent = now;
  }

  const stopOffers = toolbox.subscribe((change) => send({ type: "offer-change" }, JSON.stringify(change)));
  const stopUpdates = toolbox.onResourceUpdated((uri) => send({ type: "updated", uri }));
  const stopWatching = environment.watch({
    changed: sendChanges,
    suspended(reason, final) {
      // A page that enters the back/forward cache is also frozen there.
      if (isSuspended) return;
      isSuspended = true;
      memory.save();
      send({ type: "suspended", reason, final });
      flush();
      if (reason === "back-forward-cache") {
        tab.release();
        onCached();
      }
      onSuspension({ status: "suspended", message: "The browser has suspended this page." });
    },
    resumed() {
      if (!isSuspended) return;
      isSuspended = false;
      tab.resume();
      // Sent before the hub sends calls: they belong to the new epoch.
      sendChanges();
      send({ type: "resumed" });
      retryNow();
      onSuspension(undefined);
    },
    gone(final) {
      memory.save();
      send({ type: "bye", final });
      flush();
      tab.release();
    },
  });

  return {
    frames: toPage,
    split,
    describe() {
      const description = describeTab();
      sent = JSON.stringify(description);
      return { tab: tab.id, ...description, running: calls.running(), batches: true, approves: true };
    },
    welcomed(welcome) {
      calls.welcomed(welcome);
      send({ type: "offer" }, JSON.stringify(toolbox.offer()));
      sendChanges();
      tellExtension();
    },
    take: (frame, payload) => calls.take(frame, payload),
    speaksForSame,
    abortCalls() {
      calls.close();
      tellExtension();
    },
    close() {
      calls.close();
      stopOffers();
      stopUpdates();
      stopWatching();
      tab.release();
      tellExtension(true);
    },
  };
}

/**
 * Whether two page tokens are for the same principal, as far as a page can read them. It verifies no signature: it only
 * decides whether running calls survive a refreshed token.
 */
function speaksForSame(one: Token, other: Token): boolean {
  if (typeof one !== "string" || typeof other !== "string") return false;
  const bearer = bearerOf(one);
  return one === other || (bearer !== undefined && bearer === bearerOf(other));
}

function bearerOf(token: string): string | undefined {
  try {
    const [, claims = ""] = token.split(".");
    const { iss, sub, app } = JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/"))) as JsonObject;
    return sub === undefined ? undefined : JSON.stringify([iss, sub, app]);
  } catch {
    // Not a token that a page can read.
    return undefined;
  }
}
