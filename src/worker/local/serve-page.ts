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
import { createHubHeartbeat, helloForHub, isNotForThisOrigin, watchForHub } from "./watch-for-hub.ts";
import type { Hello, HubHeartbeat } from "./watch-for-hub.ts";

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

export function servePage(options: PageToServe, board: LocalSwitchboard): void {
  new ServedPage(options, board).start();
}

class ServedPage {
  readonly #options: PageToServe;
  readonly #board: LocalSwitchboard;
  readonly #page: Link;
  readonly #heartbeat: HubHeartbeat;
  #hub: Link | undefined;
  #whyNoHub: string;
  #hello: Hello | undefined;
  #tab: TabSession | undefined;
  #watch: Reconnect | undefined;
  /** Whether the worker, not the page, closed the link. */
  #isEnded = false;

  constructor(options: PageToServe, board: LocalSwitchboard) {
    this.#options = options;
    this.#board = board;
    this.#page = options.page;
    this.#hub = options.hub;
    this.#whyNoHub = `No hub answers at ${options.address}.`;
    this.#heartbeat = createHubHeartbeat(board.clock, () => this.#end(linkCloseReason("heartbeat-missed")));
  }

  start(): void {
    this.#hub?.start({
      message: (message) => this.#takeFromHub(message),
      closed: (reason) => {
        if (this.#hub) this.#end(reason);
      },
    });
    this.#page.start({
      message: (message) => this.#takeFromPage(message),
      closed: (reason) => {
        this.#heartbeat.stop();
        this.#watch?.close(reason);
        this.#hub?.close(reason);
        const isGone =
          !this.#isEnded && [closeCodes["going-away"], closeCodes.normal].some((code) => code === reason.code);
        this.#tab?.lost(isGone ? "gone" : "cut");
        this.#options.ended();
      },
    });
  }

  #end(reason: CloseReason): void {
    this.#isEnded = true;
    this.#page.close(reason);
  }

  #send(frame: FrameToPage, payload?: Payload): void {
    this.#page.send(encodeFrame("at" in frame ? { ...frame, at: frame.at + this.#heartbeat.ahead } : frame, payload));
  }

  #attach({ token, running, ...page }: Hello, tabId: string): void {
    const { switchboard, origin } = this.#board;
    const { principal, app = page.app } = readToken(token);
    const greeting = { ...page, running: running.filter(isFromWorker) };
    this.#tab = switchboard.attach({ tabId, principal, origin, app }, greeting, {
      send: (frame, payload) => this.#send(frame, payload),
      close: (reason) => {
        // With a hub, only the hub decides whether to close the link.
        if (!this.#hub) this.#end(reason);
      },
    });
  }

  #takeFromPage(message: Message): void {
    const parsed = parseText(fromPage, String(message), this.#board.limits);
    if (parsed.kind === "refused" && !this.#hub) return this.#refuse(new PagewireError(parsed.close, parsed.message));
    if (parsed.kind !== "frame") return this.#hub?.send(message);
    const { frame, payload } = parsed;
    if (frame.type === "hello") return this.#greet(frame);
    if (frame.type === "wake") return this.#watch?.retryNow();
    // Kept up to date, because the page may be attached again without another hello.
    if (frame.type === "tab" && this.#hello)
      this.#hello = { ...this.#hello, ...frame, type: "hello", focused: frame.focused ?? this.#hello.focused };
    if (!("id" in frame && isFromWorker(frame.id))) this.#hub?.send(message);
    try {
      this.#tab?.receive(frame, payload);
    } catch (error) {
      this.#board.onError(error, { stage: "page frame" });
      if (!this.#hub) return this.#refuse(error);
      // The hub may accept the frame.
      this.#tab?.lost("gone");
      this.#tab = undefined;
    }
  }

  #greet(frame: Hello): void {
    if (this.#hello) return;
    this.#hello = frame;
    if (this.#hub) this.#hub.send(helloForHub(frame));
    else void this.#welcome(frame);
  }

  #takeFromHub(message: Message): void {
    const parsed = parseText(toPage, String(message), this.#board.limits);
    const frame = parsed.kind === "frame" ? parsed.frame : undefined;
    if (frame && isNotForThisOrigin(frame)) return this.#leaveHub(frame.message);
    this.#page.send(message);
    this.#heartbeat.received(frame);
    if (frame?.type === "welcome" && this.#hello) this.#attach(this.#hello, frame.tab);
  }

  #leaveHub(why: string): void {
    const left = this.#hub;
    this.#hub = undefined;
    this.#whyNoHub = why;
    this.#heartbeat.stop();
    left?.close();
    // Otherwise the same tab, attached again, would replace this page with itself.
    this.#tab?.lost("cut");
    this.#tab = undefined;
    if (this.#hello) void this.#welcome(this.#hello);
  }

  /** Welcomes the page in the hub's place. */
  async #welcome(hello: Hello): Promise<void> {
    const { clock, limits, origin } = this.#board;
    const version = chooseVersion(hello.versions);
    if (version === undefined) {
      const message = `This worker speaks wire versions ${wireVersions.join(", ")}, the page ${hello.versions.join(", ")}.`;
      return this.#refuse(new PagewireError("version-unsupported", message));
    }
    const tabId = await tabIdOf(readToken(hello.token).subject, origin, hello.tab);
    if (!this.#page.open) return;
    const message = shortMessage(`${this.#whyNoHub} The worker serves this browser's own clients, and looks for it.`);
    this.#send({ type: "welcome", version, tab: tabId, at: clock.now(), heartbeat: limits.heartbeatTime, message });
    this.#attach(hello, tabId);
    const onAnswer = () => {
      this.#send({ type: "goaway", within: 0 });
      this.#end(cutOff);
    };
    this.#watch = watchForHub({ hello, connect: this.#options.connect, onAnswer }, this.#board);
  }

  #refuse(error: unknown): void {
    const { code, message } = PagewireError.isInstance(error) ? error : unknownError;
    this.#send({ type: "refused", code, message: shortMessage(message) });
    this.#end(closeReason(code in closeCodes ? (code as CloseName) : "internal-error", code));
  }
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
