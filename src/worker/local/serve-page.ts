// A page's link, which the worker's own switchboard shares with the page's hub. The hub welcomes the page; what the two
// say is passed on, and the switchboard hears of it too. Frames about the switchboard's own calls stay between it and
// the page. Where there is no hub for this page, the switchboard alone welcomes it, and looks out for the hub: once that
// is there, the page's link ends, and the page says hello anew.
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
import { bearerOf } from "./bearer.ts";
import type { Board } from "./board.ts";
import { isFromWorker } from "./call-ids.ts";
import { createHubPulse } from "./hub-pulse.ts";
import { helloForHub, isNotForThisOrigin, lookOut } from "./look-out.ts";
import type { Hello } from "./look-out.ts";
import { tabIdOf } from "./tab-id.ts";

export interface PageToServe {
  readonly page: Link;
  /** The hub's address, for people. */
  readonly address: string;
  /** Undefined where the hub cannot be reached. */
  readonly hub: Link | undefined;
  /** Makes another link to the hub, or rejects. */
  readonly connect: () => Promise<Link>;
  readonly ended: () => void;
}

export function servePage({ page, address, hub: found, connect, ended }: PageToServe, board: Board): void {
  const { switchboard, clock, limits, origin, onError } = board;
  const pulse = createHubPulse(clock, () => end(linkCloseReason("heartbeat-missed")));
  let hub = found;
  let whyNoHub = `No hub answers at ${address}.`;
  let hello: Hello | undefined;
  let tab: TabSession | undefined;
  let lookout: Reconnect | undefined;
  /** Whether it is not the page that ended its link. */
  let isEnded = false;

  function end(reason: CloseReason): void {
    isEnded = true;
    page.close(reason);
  }

  function send(frame: FrameToPage, payload?: Payload): void {
    page.send(encodeFrame("at" in frame ? { ...frame, at: frame.at + pulse.ahead } : frame, payload));
  }

  function attach({ token, running, ...said }: Hello, tabId: string): void {
    const { principal, app = said.app } = bearerOf(token);
    const greeting = { ...said, running: running.filter(isFromWorker) };
    tab = switchboard.attach({ tabId, principal, origin, app }, greeting, {
      send,
      close(reason) {
        // Whether the page keeps a link to its hub is the hub's to say.
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
    // The page may be attached again without another hello.
    if (frame.type === "tab" && hello)
      hello = { ...hello, ...frame, type: "hello", focused: frame.focused ?? hello.focused };
    if (!("id" in frame && isFromWorker(frame.id))) hub?.send(message);
    try {
      tab?.receive(frame, payload);
    } catch (error) {
      onError(error, { stage: "page frame" });
      if (!hub) return turnAway(error);
      // The hub may see it otherwise.
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
    const tabId = await tabIdOf(bearerOf(said.token).subject, origin, said.tab);
    if (!page.open) return;
    const message = shortMessage(`${whyNoHub} The worker serves this browser's own clients, and looks for it.`);
    send({ type: "welcome", version, tab: tabId, at: clock.now(), heartbeat: limits.heartbeatTime, message });
    attach(said, tabId);
    lookout = lookOut({ hello: said, connect, onAnswer: sendToHub }, board);
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
