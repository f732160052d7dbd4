// A page's connection: its hello, its authentication, and then its frames to the switchboard.
import { createHash } from "node:crypto";
import type { Link } from "../../link/index.ts";
import type { Delivery, Switchboard, TabConnection } from "../../switchboard/index.ts";
import {
  PagewireError,
  batchBytes,
  chooseVersion,
  closeCodes,
  fromExtension,
  fromPage,
  isExtensionOrigin,
  parseFrame,
  visibleText,
  wireVersions,
} from "../../wire/index.ts";
import type { FrameFromExtension, FrameFromPage, Limits, Message, Payload } from "../../wire/index.ts";
import { BatchedLink } from "./socket-link.ts";
import { refuse } from "./closing.ts";
import { createSend } from "./send-frames.ts";
import { freeBytes } from "../backpressure/free-bytes.ts";
import type { Credentials } from "../guard/credentials.ts";
import type { Note } from "../common/log.ts";
import type { Metrics } from "../common/metrics.ts";
import { noteRefusedPage } from "../guard/guard.ts";
import type { Admitted } from "../identity/admitted.ts";
import { holderOfExpired } from "../guard/tokens.ts";
import type { PageLink, PageWaits, SignedOutPage } from "../waits/page-waits.ts";
import type { DisconnectedTabs } from "./disconnected-tabs.ts";
import { servePairing } from "./serve-pairing.ts";
import type { Known } from "./sockets.ts";
import type { PageAttacher, RelayedTab } from "./cluster-seam.ts";

export interface PageSocketOptions {
  readonly switchboard: Switchboard;
  readonly credentials: Credentials;
  readonly limits: Limits;
  readonly disconnected: Pick<DisconnectedTabs, "check">;
  readonly now: () => number;
  /** The window over which pages should spread their reconnects, in milliseconds. */
  readonly returnTime: () => number;
  /** Whether pages are sent to other hubs, where their calls go on. */
  readonly isHandingOver: () => boolean;
  /** Spreads the hellos of many pages over time. */
  readonly takeTurn: (greet: () => void) => void;
  readonly note: Note;
  readonly metrics: Metrics;
  /** Other hubs may know the pages of this one, too. */
  readonly cluster: PageAttacher | undefined;
  /** Takes what pages wait for that can be answered in them only. */
  readonly pages: PageWaits;
  /** Takes the origins of refused pages. */
  readonly origins: { refused(origin: string): void } | undefined;
}

/** A link before its hello. */
export interface PageArrival {
  readonly via: TabConnection["via"];
  readonly origin: string | undefined;
  readonly known: Known;
}

type Hello = Extract<FrameFromExtension, { type: "hello" }>;

interface TakenFrame {
  readonly frame: FrameFromPage | FrameFromExtension;
  readonly payload: Payload;
}

const fromExtensionsPage = { ...fromPage, ...fromExtension };

/** Serves a link, or a channel of one, of a page that has not said hello. */
export function servePage(carrier: Link, { origin, known, via }: PageArrival, options: PageSocketOptions): void {
  const { credentials, limits, returnTime, note, pages, cluster } = options;
  const link = new BatchedLink(carrier);
  let session: RelayedTab | undefined;
  let listed: PageLink | undefined;
  let greeted = false;
  const leave: (() => void)[] = [];
  const isExtension = isExtensionOrigin(origin);
  const table = isExtension ? fromExtensionsPage : fromPage;

  const send = createSend(link, limits, (failure) => session?.receive(failure, "", ""));

  const turnAway = (thrown: unknown) => {
    const error = PagewireError.isInstance(thrown) ? thrown : internal(thrown);
    refuse(link, error, noteRefusedPage(options, error.code, origin));
  };

  async function welcome(hello: Hello): Promise<void> {
    const version = requireVersion(hello);
    const admitted = await (isExtension ? credentials.browsers : credentials).page(origin, hello.token);
    if (!link.open) return;
    const pageOrigin = credentials.browsers.originOf(admitted, origin, hello.origin);
    leave.push(known(admitted, link), credentials.browsers.entered(admitted));
    // The page sends batches too, and a socket refuses messages larger than a frame.
    if (hello.batches && limits.frameBytes >= batchBytes) link.startBatching();
    const identity = { ...identityOf(admitted, pageOrigin, hello), via };
    options.disconnected.check(identity.principal, identity.tabId, hello.epochs);
    send({
      type: "welcome",
      version,
      tab: identity.tabId,
      at: Math.round(options.now()),
      heartbeat: limits.heartbeatTime,
      within: returnTime(),
    });
    const delivery: Delivery = {
      send: (frame, payload) => send(frame.type === "heartbeat" ? { ...frame, within: returnTime() } : frame, payload),
      close: (reason) => link.close(reason),
    };
    session = cluster
      ? cluster.attach(identity, hello, { delivery, link })
      : options.switchboard.attach(identity, hello, delivery);
    listed = pages.connected(identity, hello);
    note("info", "page-connected", { tab: identity.tabId, origin: identity.origin, principal: identity.principal });
  }

  function take({ frame, payload }: TakenFrame, message: Message): void {
    if (frame.type === "pair" || frame.type === "unpair") {
      if (greeted) throw new PagewireError("frame-malformed", `The frame ${frame.type} is the first of its link.`);
      greeted = true;
      const { browsers } = credentials;
      return void servePairing(link, frame, { origin: origin ?? "", browsers }).catch(turnAway);
    }
    if (frame.type === "tab") listed?.described(frame);
    if (session) return session.receive(frame, payload, message);
    if (frame.type === "hello" && !greeted) {
      greeted = true;
      options.takeTurn(() => {
        if (!link.open) return;
        welcome(frame).catch((error: unknown) => {
          const page = signedOutPage(error, frame, origin);
          if (page) pages.signedOut(page);
          turnAway(error);
        });
      });
    } else if (!greeted) {
      throw new PagewireError("hello-expected", "The first frame of a page must be its hello.");
    }
  }

  // An extension says who it is, by its token.
  if (!isExtension && credentials.isHopeless(origin)) {
    const admission = Promise.resolve().then(() => credentials.page(origin, undefined));
    link.start({ message: () => {}, closed: () => {} });
    admission.catch(turnAway);
    return;
  }
  link.start({
    message(message) {
      const parsed = parseFrame(table, message, limits);
      if (parsed.kind === "unknown") return options.metrics.unknownFrame();
      if (parsed.kind === "refused") return turnAway(new PagewireError(parsed.close, parsed.message));
      try {
        take(parsed, message);
      } catch (error) {
        if (!PagewireError.isInstance(error)) note("error", "page-frame-failed", { message: String(error) });
        turnAway(error);
        // A refused offer may be large, and nothing refers to it.
        if (parsed.frame.type === "offer" && typeof message !== "string") freeBytes([message]);
      }
    },
    closed({ code }) {
      for (const each of leave) each();
      listed?.closed();
      const hasLeft = code === closeCodes["going-away"] || code === closeCodes.normal;
      session?.lost(hasLeft && !options.isHandingOver() ? "gone" : "cut");
    },
  });
}

function requireVersion({ versions }: Hello): number {
  const version = chooseVersion(versions);
  if (version !== undefined) return version;
  throw new PagewireError(
    "version-unsupported",
    `This hub speaks wire versions ${wireVersions.join(", ")}; the page ${versions.join(", ")}. Update the older one.`,
  );
}

function identityOf({ principal, app, allowed, browser }: Admitted, origin: string, hello: Hello) {
  const tabId = tabIdOf(principal, origin, hello.tab);
  return { tabId, principal, origin, app: visibleText(app ?? hello.app), allowed, browser };
}

/**
 * The public id of a tab: stable across reloads and hubs, and not forgeable by other pages. It is used as a command-line
 * argument, so it must not begin with a dash.
 */
function tabIdOf(principal: string, origin: string, tab: string): string {
  const digest = createHash("sha256").update(JSON.stringify([principal, origin, tab]));
  return digest.digest("base64url").slice(0, 16).replace(/^-/, "0");
}

/** The page, if its token was good and has expired. */
function signedOutPage(error: unknown, hello: Hello, origin = ""): SignedOutPage | undefined {
  const { principal, app = hello.app } = holderOfExpired(error, origin) ?? {};
  return principal === undefined ? undefined : { principal, origin, app: visibleText(app) };
}

function internal(error: unknown): PagewireError {
  return new PagewireError("internal-error", "The hub could not take the page's frame.", { cause: error });
}
