import type { ServerResponse } from "node:http";
import type { Admitted } from "../../guard/admitted.ts";
import type { Credentials } from "../../guard/credentials.ts";

/** The requests that are being answered. */
export interface OpenAnswers {
  /** How many there are that will end by themselves. */
  readonly passing: number;
  /** How many there are that stay open until somebody hangs up. */
  readonly standing: number;
  add(response: ServerResponse, admitted: Admitted): void;
  /** This one is meant to stay open. */
  stand(response: ServerResponse): void;
  /** Hangs up on everybody whose credential no longer holds. */
  review(): void;
}

export function createOpenAnswers(credentials: Credentials): OpenAnswers {
  const open = new Map<ServerResponse, Admitted>();
  const standing = new Set<ServerResponse>();
  return {
    get passing() {
      return open.size - standing.size;
    },
    get standing() {
      return standing.size;
    },
    add(response, admitted) {
      open.set(response, admitted);
      response.on("close", () => {
        open.delete(response);
        standing.delete(response);
      });
    },
    stand(response) {
      if (!open.has(response)) return;
      standing.add(response);
      const { expiresAt } = open.get(response) ?? {};
      if (expiresAt === undefined) return;
      const timer = setTimeout(() => response.destroy(), Math.min(expiresAt - Date.now(), 2 ** 31 - 1));
      response.on("close", () => clearTimeout(timer));
    },
    review() {
      for (const [response, admitted] of open) if (!credentials.isStillGood(admitted)) response.destroy();
    },
  };
}
