// A page's link, shared by its hub and the worker's own switchboard. The hub welcomes the page; their frames are
// forwarded, and also given to the switchboard. Frames about the switchboard's own calls stay between it and the page.
// If there is no hub for the page, the switchboard welcomes it and keeps trying the hub: once that answers, the page's
// link closes, and the page starts a new handshake.
import type { Link, Reconnect } from "../../link/index.ts";
import type { TabSession } from "../../switchboard/index.ts";
import {
  PagewireError,
  chooseVersion,
  closeCodes,
  closeReason,
  cutOff,
  encodeFrame,
  fromPage,
  linkCloseReason,
  parseText,
  shortMessage,
  toPage,
  wireVersions,
} from "../../wire/index.ts";
import type { CloseName, CloseReason, FrameToPage, Message, Payload } from "../../wire/index.ts";
import { readToken } from "./read-token.ts";
import type { LocalSwitchboard } from "./local-switchboard.ts";
import { isFromWorker } from "./call-ids.ts";
import { createHubHeartbeat } from "./hub-heartbeat.ts";
import { helloForHub, isNotForThisOrigin, watchForHub } from "./watch-for-hub.ts";
import type { Hello } from "./watch-for-hub.ts";

export interface PageToServe {
  readonly page: Link;
  /** The hub's address, for people. */
  readonly address: string;
  /** Undefined if the hub is unreachable. */
  readonly hub: Link | undefined;
  /** Opens another link to the hub, or rejects. */
  readonly connect: () => Promise<Link>;
  readonly ended: () => void;
}

export function servePage({ page, address, hub: found, connect, ended }: PageToServe, board: LocalSwitchboard): void {
  const { switchboard, clock, limits, origin, onError } = board;
  const pulse = createHubHeartbeat(clock, () => end(linkCloseReason("heartbeat-missed")));
  let hub = found;
  let whyNoHub = `No hub answers at ${address}.`;
  let hello: Hello | undefined;
  let tab: TabSession | undefined;
  let lookout: Reconnect | undefined;
  /** Whether the worker, not the page, closed the link. */
  let isEnded = false;

  function end(reason: CloseReason): void {
    isEnded = true;
    page.close(reason);
  }

  function send(frame: FrameToPage, payload?: Payload): void {
    page.send(encodeFrame("at" in frame ? { ...frame, at: frame.at + pulse.ahead } : frame, payload));
  }

  function attach({ token, running, ...said }: Hello, tabId: string): void {
    const { principal, app = said.app } = readToken(token);
    const greeting = { ...said, running: running.filter(isFromWorker) };
    tab = switchboard.attach({ tabId, principal, origin, app }, greeting, {
      send,
      close(reason) {
        // With a hub, only the hub decides whether to close the link.
        if (!hub) end(reason);
      },
    });
  }

  function takeFromPage(message: Message): void {
    const parsed = parseText(fromPage, String(message), limits);
    if (parsed.kind === "refused" && !hub) return turnAway(new PagewireError(parsed.close, parsed.message));
    if (parsed.kind !== "frame") return hub?.send(message);
    const { frame, payload } = parsed;
    if (frame.type === "hello") return greet(frame);
    if (frame.type === "wake") return lookout?.retryNow();
    // Kept up to date, because the page may be attached again without another hello.
    if (frame.type === "tab" && hello)
      hello = { ...hello, ...frame, type: "hello", focused: frame.focused ?? hello.focused };
    if (!("id" in frame && isFromWorker(frame.id))) hub?.send(message);
    try {
      tab?.receive(frame, payload);
    } catch (error) {
      onError(error, { stage: "page frame" });
      if (!hub) return turnAway(error);
      // The hub may accept the frame.
      tab?.lost("gone");
      tab = undefined;
    }
  }

  function greet(frame: Hello): void {
    if (hello) return;
    hello = frame;
    if (hub) hub.send(helloForHub(frame));
    else void welcome(frame);
  }

  function takeFromHub(message: Message): void {
    const parsed = parseText(toPage, String(message), limits);
    const frame = parsed.kind === "frame" ? parsed.frame : undefined;
    if (frame && isNotForThisOrigin(frame)) return leaveHub(frame.message);
    page.send(message);
    pulse.heard(frame);
    if (frame?.type === "welcome" && hello) attach(hello, frame.tab);
  }

  function leaveHub(why: string): void {
    const left = hub;
    hub = undefined;
    whyNoHub = why;
    pulse.stop();
    left?.close();
    // Otherwise the same tab, attached again, would replace this page with itself.
    tab?.lost("cut");
    tab = undefined;
    if (hello) void welcome(hello);
  }

  /** Welcomes the page in the hub's place. */
  async function welcome(said: Hello): Promise<void> {
    const version = chooseVersion(said.versions);
    if (version === undefined) {
      const message = `This worker speaks wire versions ${wireVersions.join(", ")}, the page ${said.versions.join(", ")}.`;
      return turnAway(new PagewireError("version-unsupported", message));
    }
    const tabId = await tabIdOf(readToken(said.token).subject, origin, said.tab);
    if (!page.open) return;
    const message = shortMessage(`${whyNoHub} The worker serves this browser's own clients, and looks for it.`);
    send({ type: "welcome", version, tab: tabId, at: clock.now(), heartbeat: limits.heartbeatTime, message });
    attach(said, tabId);
    lookout = watchForHub({ hello: said, connect, onAnswer: sendToHub }, board);
  }

  function sendToHub(): void {
    send({ type: "goaway", within: 0 });
    end(cutOff);
  }

  function turnAway(error: unknown): void {
    const { code, message } = PagewireError.isInstance(error) ? error : unknownError;
    send({ type: "refused", code, message: shortMessage(message) });
    end(closeReason(code in closeCodes ? (code as CloseName) : "internal-error", code));
  }

  hub?.start({
    message: takeFromHub,
    closed(reason) {
      if (hub) end(reason);
    },
  });
  page.start({
    message: takeFromPage,
    closed(reason) {
      pulse.stop();
      lookout?.close(reason);
      hub?.close(reason);
      const isGone = !isEnded && [closeCodes["going-away"], closeCodes.normal].some((code) => code === reason.code);
      tab?.lost(isGone ? "gone" : "cut");
      ended();
    },
  });
}

const unknownError = new PagewireError("internal-error", "The worker could not take the page's frame.");

/** The same tab id that the principal's hub would give. */
async function tabIdOf(subject: string, origin: string, tab: string): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([subject, origin, tab]));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", text)).subarray(0, 12);
  return btoa(String.fromCharCode(...digest))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/^-/, "0");
}
