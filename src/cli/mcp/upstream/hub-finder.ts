// Finds the hub for each use: it may stop, come back on another port, or get a new token at any time.
import type { PagewireError } from "../../../wire/index.ts";
import { askHealth } from "../../reach-hub/ask-health.ts";
import { unlessAborted } from "../../console/interrupts.ts";
import type { HubStarter } from "../../run-hub/hub-starter.ts";
import { waitAfter } from "./wait.ts";
import type { Waiting } from "./wait.ts";

/** How hard to try: start a hub if none runs, wait for one without a limit, or look once. */
export type Effort = "start" | "wait" | "look";

/** How long to wait for a hub that was running before, if none may be started. */
export const returnTimeout = 5000;
/** Time to let a restart happen before starting a hub here. */
const restartGrace = 1500;

/** The hub that runs on this machine. */
export interface HubFinder {
  /** Resolves with its address; rejects with `hub-unreachable`. */
  find(effort: Effort, signal: AbortSignal): Promise<string>;
  /** Reports that nothing answered at this address. */
  lost(url: string): void;
  /** Whether a hub is announced and answers. */
  isThere(): Promise<boolean>;
}

/** Its argument checks for a running hub. */
export type CreateStarter = (isThere: () => Promise<boolean>) => HubStarter;

export interface HubFinderOptions {
  /** The address that a hub of this machine has announced. */
  readonly announced: () => string | undefined;
  /** Creates the hub starter; missing if no hub may be started. */
  readonly createStarter: CreateStarter | undefined;
  /** Why no hub was found, and what to do. */
  noHub(): PagewireError;
  readonly waiting: Waiting;
  /** Prints a line for the user. */
  note(text: string): void;
}

export function createHubFinder({ announced, createStarter, noHub, waiting, note }: HubFinderOptions): HubFinder {
  let verified: string | undefined;
  let wasThere = false;
  let isMissed = false;
  let lostAt = -Infinity;

  async function look(): Promise<string | undefined> {
    const url = announced();
    // The announcement may be of a hub that has ended, and another program may listen there now.
    const isThere = url !== undefined && (url === verified || (await askHealth(url)) === "hub");
    if (isThere) verified = url;
    if (wasThere && !isThere && !isMissed) {
      lostAt = waiting.now();
      note("The hub is gone. It is found when it is back: npx pagewire");
    }
    isMissed = !isThere;
    wasThere ||= isThere;
    return isThere ? url : undefined;
  }

  async function find(effort: Effort, signal: AbortSignal): Promise<string> {
    const since = waiting.now();
    for (let attempt = 0; ; attempt++) {
      const url = await look();
      if (url !== undefined) return url;
      const isLost = starter === undefined && waiting.now() - since >= (wasThere ? returnTimeout : 0);
      if (effort === "look" || (effort === "start" && isLost)) throw noHub();
      const isDue = starter !== undefined && waiting.now() - lostAt >= restartGrace;
      if (effort === "start" && isDue) await unlessAborted(starter.start(), signal);
      else await waiting.pause(waitAfter(attempt), signal);
    }
  }

  const isThere = async () => (await look()) !== undefined;
  const starter = createStarter?.(isThere);

  return {
    find,
    lost(url) {
      if (url === verified) verified = undefined;
    },
    isThere,
  };
}
