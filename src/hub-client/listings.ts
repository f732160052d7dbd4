// Requests for lists. They change nothing, so they are repeated on every new connection until answered.
import type { Clock } from "../link/index.ts";
import { PagewireError, identifierPattern, isErrorCode } from "../wire/index.ts";
import type { FrameFromAgent, FrameToAgent, Json, Limits, Offer, Payload, TabInfo } from "../wire/index.ts";
import { parseOffer, parsePayload, parseTabs } from "./parse-listing.ts";

export interface Listings {
  tabs(search?: string): Promise<readonly TabInfo[]>;
  offer(tab: string | undefined): Promise<Offer>;
  receive(frame: Extract<FrameToAgent, { type: "listing" }>, payload: Payload): void;
  /** A new connection is up. */
  connected(): void;
  /** There will be no more answers. */
  end(error: PagewireError): void;
}

export interface ListingsOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly newId: () => string;
  send(frame: FrameFromAgent): unknown;
  /** The hub sent an invalid list. */
  onMalformed(error: PagewireError): void;
}

interface Pending {
  readonly request: Extract<FrameFromAgent, { type: "list" }>;
  /** Returns whether the answer could be parsed. */
  answer(value: Json | undefined, nextCursor: string | undefined): boolean;
  fail(error: PagewireError): void;
}

const ANSWER_TIME = 10_000;
const tabsPerPage = 500;

function parsePage(value: Json | undefined, nextCursor: string | undefined) {
  const tabs = parseTabs(value);
  return tabs && { tabs, nextCursor };
}

export function createListings({ clock, limits, newId, send, onMalformed }: ListingsOptions): Listings {
  const pending = new Map<string, Pending>();
  let ended: PagewireError | undefined;

  function ask<Answer>(
    about: Omit<Pending["request"], "type" | "id">,
    parse: (value: Json | undefined, nextCursor: string | undefined) => Answer | undefined,
  ): Promise<Answer> {
    if (ended !== undefined) return Promise.reject(ended);
    return new Promise((resolve, reject) => {
      const request = { type: "list", id: newId(), ...about } as const;
      const settle = (report: () => void) => {
        stopTimer();
        pending.delete(request.id);
        report();
      };
      const fail = (error: PagewireError) => settle(() => reject(error));
      const stopTimer = clock.after(ANSWER_TIME, () =>
        fail(new PagewireError("hub-unreachable", "The hub does not answer. See how it is with: npx pagewire doctor")),
      );
      pending.set(request.id, {
        request,
        fail,
        answer(value, nextCursor) {
          const answer = parse(value, nextCursor);
          if (answer !== undefined) settle(() => resolve(answer));
          return answer !== undefined;
        },
      });
      send(request);
    });
  }

  return {
    async tabs(search) {
      const found: TabInfo[] = [];
      let cursor: string | undefined;
      do {
        const page = await ask({ what: "tabs", size: tabsPerPage, cursor, search }, parsePage);
        found.push(...page.tabs);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return found;
    },
    offer(tab) {
      if (tab === undefined || identifierPattern.test(tab)) return ask({ what: "offer", tab }, parseOffer);
      return Promise.reject(new PagewireError("tab-not-found", `There is no tab ${JSON.stringify(tab)}.`));
    },
    receive({ id, nextCursor, code, message = "" }, payload) {
      const asked = pending.get(id);
      if (asked === undefined) return;
      if (code !== undefined)
        return asked.fail(new PagewireError(isErrorCode(code) ? code : "internal-error", message));
      if (asked.answer(parsePayload(payload, limits.jsonDepth), nextCursor)) return;
      const error = new PagewireError("frame-malformed", `The hub sent a list of ${asked.request.what} that is none.`);
      asked.fail(error);
      onMalformed(error);
    },
    connected() {
      for (const { request } of pending.values()) send(request);
    },
    end(error) {
      ended = error;
      for (const { fail } of [...pending.values()]) fail(error);
    },
  };
}
