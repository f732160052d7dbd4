// A page's link as the hub gets it: its hello says who it is in the worker's words, and the first answer is noticed.
import type { Link } from "../../link/index.ts";
import { encodeText, fromPage, linkCloseReason, pageLimits, parseText, textOf, toNewPage } from "../../wire/index.ts";
import type { FrameIn, Message } from "../../wire/index.ts";

/** The worker's words about a page, which replace the page's own. */
export interface Stamp {
  readonly token: string;
  readonly origin: string;
  readonly tab: string;
  readonly app: string;
}

type Refused = Extract<FrameIn<typeof toNewPage>, { type: "refused" }>;

export interface HelloListener {
  welcomed(): void;
  refused(frame: Refused): void;
}

/** How a hub's answers begin: every other message passes without being read. */
const refusal = '{"type":"refused"';
const welcome = '{"type":"welcome"';

export function stampHello(link: Link, stamp: Stamp, { welcomed, refused }: HelloListener): Link {
  let hasGreeted = false;
  let isWelcome = false;

  /** The first frame, with the worker's words; undefined if it is no hello. */
  function stamped(message: Message): string | undefined {
    const parsed = parseText(fromPage, textOf(message), pageLimits);
    if (parsed.kind !== "frame" || parsed.frame.type !== "hello") return undefined;
    const { versions, title, url, focused, running, epochs, batches, approves, dialog } = parsed.frame;
    const said = { versions, title, url, focused, running, epochs, batches, approves, dialog };
    return encodeText({ type: "hello", ...said, ...stamp });
  }

  function notice(message: Message): void {
    if (typeof message !== "string" || !(message.startsWith(refusal) || (!isWelcome && message.startsWith(welcome))))
      return;
    const [line = ""] = message.split("\n", 1);
    const parsed = parseText(toNewPage, line, pageLimits);
    if (parsed.kind === "frame" && parsed.frame.type === "refused") return refused(parsed.frame);
    isWelcome = true;
    welcomed();
  }

  return {
    get open() {
      return link.open;
    },
    get queuedBytes() {
      return link.queuedBytes;
    },
    send(message) {
      notice(message);
      link.send(message);
    },
    close: link.close,
    start: ({ message: deliver, closed }) =>
      link.start({
        message(message) {
          if (hasGreeted) return deliver(message);
          const hello = stamped(message);
          if (hello === undefined) return link.close(linkCloseReason("frame-malformed", "A page says hello first."));
          hasGreeted = true;
          deliver(hello);
        },
        closed,
      }),
  };
}
