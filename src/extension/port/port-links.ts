// Links over a runtime port, each by its number. A port carries JSON only, so bytes become text; frames are text.
import { createCarriedLink } from "../../link/index.ts";
import type { CarriedLink, Link } from "../../link/index.ts";
import { cutOff, messageOf, textOf } from "../../wire/index.ts";
import type { CloseReason } from "../../wire/index.ts";
import type { FromPage, ToPage } from "../messages.ts";

export type LinkFromPage = Extract<FromPage, { readonly link: number }>;
export type LinkToPage = Extract<ToPage, { readonly link: number }>;

interface NumberedLinks {
  create(number: number): CarriedLink;
  receive(number: number, text: string): void;
  end(number: number, reason: CloseReason): void;
  /** The port is gone. */
  endAll(): void;
  readonly count: number;
}

function createNumberedLinks(
  post: (message: { readonly type: "message"; readonly link: number; readonly text: string }) => void,
  postClose: (link: number, reason: CloseReason) => void,
): NumberedLinks {
  const links = new Map<number, CarriedLink>();

  function end(number: number, reason: CloseReason): void {
    const carried = links.get(number);
    links.delete(number);
    carried?.end(reason);
  }

  return {
    create(link) {
      const carried = createCarriedLink({
        // A port accepts everything at once and does not report delivery.
        queuedBytes: 0,
        send: (message) => post({ type: "message", link, text: textOf(message) }),
        close(reason) {
          links.delete(link);
          postClose(link, reason);
        },
      });
      links.set(link, carried);
      return carried;
    },
    receive: (number, text) => links.get(number)?.receive(text),
    end,
    endAll() {
      for (const number of links.keys()) end(number, cutOff);
    },
    get count() {
      return links.size;
    },
  };
}

/** The page's end of a port: it opens the links. */
export interface PageLinks {
  /** Resolves once the worker has connected the link to the hub. */
  open(): Promise<Link>;
  take(message: LinkToPage): void;
  /** The port is gone. */
  end(): void;
}

export function createPageLinks(post: (message: LinkFromPage) => void): PageLinks {
  const links = createNumberedLinks(post, (link, reason) => post({ type: "close", link, ...reason }));
  const opening = new Map<number, { resolve(link: Link): void; reject(error: Error): void; readonly link: Link }>();
  let last = 0;

  function settle(number: number, failure?: string): void {
    const waiting = opening.get(number);
    if (!waiting) return;
    opening.delete(number);
    if (failure === undefined) return waiting.resolve(waiting.link);
    links.end(number, cutOff);
    waiting.reject(new Error(failure));
  }

  return {
    open() {
      const number = ++last;
      return new Promise((resolve, reject) => {
        const { link } = links.create(number);
        opening.set(number, { resolve, reject, link });
        try {
          post({ type: "open", link: number });
        } catch (error) {
          settle(number, messageOf(error));
        }
      });
    },
    take(message) {
      if (message.type === "opened") settle(message.link);
      else if (message.type === "failed") settle(message.link, message.message);
      else if (message.type === "message") links.receive(message.link, message.text);
      else links.end(message.link, { code: message.code, reason: message.reason });
    },
    end() {
      for (const number of opening.keys()) settle(number, "the extension's worker was stopped");
      links.endAll();
    },
  };
}

/** The worker's end of a port: it takes the links that the page opens. */
export interface WorkerLinks {
  take(message: LinkFromPage): void;
  /** The port is gone. */
  end(): void;
}

export interface WorkerLinksOptions {
  post(message: LinkToPage): void;
  /** Connects a link to the hub; rejects if that fails. */
  onLink(link: Link): Promise<void>;
}

/** The most links of one page. A page has one, and for a moment a second one. */
const linksMost = 8;

export function createWorkerLinks({ post, onLink }: WorkerLinksOptions): WorkerLinks {
  const links = createNumberedLinks(post, (link, reason) => post({ type: "closed", link, ...reason }));
  let last = 0;

  async function open(number: number): Promise<void> {
    if (number <= last || links.count >= linksMost) {
      return post({ type: "failed", link: number, message: "the page opened too many links, or one of them twice" });
    }
    last = number;
    const { link } = links.create(number);
    try {
      await onLink(link);
      if (link.open) post({ type: "opened", link: number });
    } catch (error) {
      links.end(number, cutOff);
      post({ type: "failed", link: number, message: messageOf(error).slice(0, 1024) });
    }
  }

  return {
    take(message) {
      if (message.type === "open") void open(message.link);
      else if (message.type === "message") links.receive(message.link, message.text);
      else links.end(message.link, { code: message.code, reason: message.reason });
    },
    end: links.endAll,
  };
}
