import type { ServerResponse } from "node:http";
import type { Admitted } from "../guard/admitted.ts";
import type { Credentials } from "../guard/credentials.ts";
import { createRoster } from "../roster.ts";
import { onEnd } from "../http/on-end.ts";

/** The requests that are being answered. */
export interface OpenAnswers {
  /** How many there are that will end by themselves. */
  readonly passing: number;
  /** How many of this principal's there are that stay open until somebody hangs up. */
  standingOf(principal: string): number;
  /** Hears once, if it likes, when it has ended, and whether all of it was sent. */
  add(response: ServerResponse, admitted: Admitted, ended?: (isSent: boolean) => void): void;
  /** This one is meant to stay open. */
  stand(response: ServerResponse): void;
  /** Resolve when all have ended that would by themselves, and that were meant to stay open. */
  passingEnded(): Promise<void>;
  standingEnded(): Promise<void>;
  /** Hangs up on everybody whose credential no longer holds. */
  review(): void;
}

interface OpenAnswer {
  readonly response: ServerResponse;
  readonly admitted: Admitted;
}

export function createOpenAnswers(credentials: Credentials): OpenAnswers {
  const open = createRoster<OpenAnswer>();
  const standing = new Map<ServerResponse, Admitted>();
  return {
    get passing() {
      return open.size - standing.size;
    },
    standingOf(principal) {
      let count = 0;
      for (const admitted of standing.values()) if (admitted.principal === principal) count++;
      return count;
    },
    add(response, admitted, ended) {
      const leave = open.add({ response, admitted });
      // Its client may have gone while its credential was looked at.
      onEnd(response, (isSent) => {
        leave();
        ended?.(isSent);
      });
    },
    stand(response) {
      const { admitted } = open.items().find((one) => one.response === response) ?? {};
      if (!admitted) return;
      standing.set(response, admitted);
      onEnd(response, () => standing.delete(response));
      const { expiresAt } = admitted;
      if (expiresAt === undefined) return;
      const timer = setTimeout(() => response.destroy(), Math.min(expiresAt - Date.now(), 2 ** 31 - 1));
      onEnd(response, () => clearTimeout(timer));
    },
    passingEnded: () => allEnded(open.items().flatMap(({ response }) => (standing.has(response) ? [] : [response]))),
    standingEnded: () => allEnded([...standing.keys()]),
    review() {
      for (const { response, admitted } of open.items()) {
        if (!credentials.isStillGood(admitted)) response.destroy();
      }
    },
  };
}

async function allEnded(responses: readonly ServerResponse[]): Promise<void> {
  await Promise.all(responses.map((response) => new Promise<void>((resolve) => void onEnd(response, () => resolve()))));
}
