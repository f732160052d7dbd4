// Among several hubs, a client is served where its conversation lives. Its first message names the conversation.
import type { Link, LinkEvents } from "../../../link/index.ts";
import { PagewireError, closeReason, isJsonObject, parseJsonObject, textOf } from "../../../wire/index.ts";
import type { Limits, Message } from "../../../wire/index.ts";
import type { Homes } from "../../cluster/homes.ts";
import { homeOf, isConversationId } from "../../store/index.ts";

export interface RouteOptions {
  readonly link: Link;
  readonly principal: string;
  readonly homes: Homes;
  readonly limits: Pick<Limits, "jsonDepth" | "strangerTime" | "queuedBytes">;
  readonly turnAway: (error: PagewireError) => void;
  readonly serveHere: (link: Link) => void;
  /** Has another hub serve it; undefined for a client that another hub has passed on. */
  readonly passOn: ((hub: string, link: Link) => void) | undefined;
}

export function routeClient(options: RouteOptions): void {
  const { link, principal, homes, limits, turnAway, serveHere, passOn } = options;
  const early: Message[] = [];
  let bytes = 0;
  let events: LinkEvents | undefined;
  let ended: Parameters<LinkEvents["closed"]>[0] | undefined;
  let leave = () => {};
  const timer = setTimeout(() => turnAway(nothingAsked()), limits.strangerTime);

  /** The link, from its first message on. */
  const whole: Link = {
    get open() {
      return link.open;
    },
    get queuedBytes() {
      return link.queuedBytes;
    },
    send: (message) => link.send(message),
    close: (reason) => link.close(reason),
    start(given) {
      events = given;
      for (const message of early.splice(0)) given.message(message);
      if (ended) given.closed(ended);
    },
  };

  async function route(first: Message): Promise<void> {
    const id = conversationIn(first, limits.jsonDepth);
    // A refusal that cannot be sent now is sent where the conversation is opened.
    const home = id === undefined ? undefined : await homes.hold(homeOf({ principal, id })).catch(() => undefined);
    if (typeof home === "object") leave = home.close;
    if (ended) leave();
    else if (typeof home === "string" && passOn) passOn(home, whole);
    else serveHere(whole);
  }

  function refuse(error: unknown): void {
    turnAway(PagewireError.isInstance(error) ? error : failed());
  }

  link.start({
    message(message) {
      clearTimeout(timer);
      if (events) return events.message(message);
      bytes += message.length;
      if (bytes > limits.queuedBytes) return link.close(closeReason("too-slow"));
      if (early.push(message) === 1) route(message).catch(refuse);
    },
    closed(reason) {
      clearTimeout(timer);
      ended = reason;
      leave();
      events?.closed(reason);
    },
  });
}

/** The conversation that a client's first message wants to go on with. */
function conversationIn(message: Message, depth: number): string | undefined {
  try {
    const { pagewire } = parseJsonObject(textOf(message), depth) ?? {};
    const session = isJsonObject(pagewire) ? pagewire["session"] : undefined;
    return isConversationId(session) ? session : undefined;
  } catch {
    return undefined;
  }
}

export function nothingAsked(): PagewireError {
  return new PagewireError("hello-late", "Nothing was asked for in time.");
}

function failed(): PagewireError {
  return new PagewireError("internal-error", "The conversation could not be opened. The hub's log says why.");
}
