// Keeps the browser's tools in a page's toolbox: reads the list, one read at a time, and applies the differences.
import type { LocalToolbox } from "../../toolbox/index.ts";
import type { OnError } from "../../wire/index.ts";
import { ownToolMarks } from "../own-tools.ts";
import { createJoined } from "./joined-tools.ts";
import type { JoinedToolsOptions } from "./joined-tools.ts";
import { isSameTool } from "./name-tools.ts";
import { readModelContext } from "./read-model-context.ts";
import type { ListedTool, Listing } from "./read-model-context.ts";
import type { ModelContextWatch } from "./watch-model-context.ts";
import { isBelow, isOursToOffer } from "./windows.ts";

/** The document's environment. */
export interface JoinEnvironment {
  readonly window: Window;
  /** The current `document.modelContext`. */
  modelContext(): unknown;
  watch(look: () => void): ModelContextWatch;
  /** Resolves when the browser may be queried for its tools. */
  mayAsk(): Promise<void>;
  /** Starts a timer; the returned function cancels it. */
  after(milliseconds: number, run: () => void): () => void;
}

export interface KeepJoinedOptions extends Pick<
  JoinedToolsOptions,
  "offersPerPage" | "isRefused" | "guard" | "offers"
> {
  readonly fromOrigins: readonly string[];
  readonly onError: OnError;
  readonly environment: JoinEnvironment;
}

/** A read that is not answered yet. */
interface Asking {
  readonly context: unknown;
  isStale: boolean;
}

/** The tools that were read, and the names that were marked when the read began. */
interface Reading extends Listing {
  readonly marks: ReadonlyMap<string, boolean>;
}

/** The timeout of a read in milliseconds, after which it is repeated; it doubles each time. */
const answerTimeout = 5000;
/** Chromium 156 sometimes loses a frame's model context while the frame loads, and then never answers. */
const unanswered =
  "The browser does not answer when it is asked for the tools of this page's scripts and forms. It is asked again. " +
  "If they stay missing, load the page, or the frame that it is in, again.";

/** Cap on reported refusals: a frame could otherwise flood the log with new names. */
const maxReported = 1000;

export interface Joining {
  /** Asks again which tools join, when the answer of `offers` may have changed. */
  refresh(): void;
  /** Removes the tools. */
  close(): void;
}

/** Keeps the browser's tools in a toolbox. */
export function keepJoined(
  toolbox: LocalToolbox,
  { fromOrigins, onError, environment, ...options }: KeepJoinedOptions,
): Joining {
  const { window: own } = environment;
  const joined = createJoined(toolbox, {
    ...options,
    own,
    async find(listed) {
      await environment.mayAsk();
      const { tools } = await read(listed.context);
      return tools.find((tool) => isSameTool(tool, listed));
    },
  });
  let frames: ReadonlySet<Window> = new Set();
  let reading: Asking | undefined;
  let stopWaiting = () => {};
  let last: Reading | undefined;
  let isClosed = false;
  const report = createReport(onError);

  function look(): void {
    if (isClosed) return;
    const context = contextNow();
    // A new context is read at once: the previous one may never answer.
    if (reading && reading.context === context) {
      reading.isStale = true;
      return;
    }
    reading = { context, isStale: false };
    watch.follow(context, frames);
    void ask(reading, answerTimeout);
  }

  /** Queries the browser, and repeats the query while there is no answer; the first answer counts. */
  async function ask(mine: Asking, wait: number): Promise<void> {
    await environment.mayAsk();
    if (isClosed || reading !== mine) return;
    const { context } = mine;
    if (wait > answerTimeout) report([new Error(unanswered)]);
    stopWaiting();
    stopWaiting = environment.after(wait, () => void ask(mine, wait * 2));
    const now = await read(context);
    if (isClosed || reading !== mine) return;
    stopWaiting();
    reading = undefined;
    frames = new Set(now.tools.map(({ window }) => window).filter((window) => window !== own && isBelow(window, own)));
    watch.follow(context, frames);
    last = now;
    join(last);
    if (mine.isStale) look();
  }

  async function read(context: unknown): Promise<Reading> {
    const marks = ownToolMarks(own);
    return { ...(await readModelContext(context, { own, fromOrigins })), marks };
  }

  /** A script's replacement of the model context may throw when it is read. */
  function contextNow(): unknown {
    try {
      return environment.modelContext();
    } catch (error) {
      const fail = () => Promise.reject(error as Error);
      return { getTools: fail, executeTool: fail };
    }
  }

  function join({ tools, problems, marks: before }: Reading): void {
    const marks = new Map([...frames, own].map((window) => [window, ownToolMarks(window)]));
    const isOurs = (tool: ListedTool) => {
      const { window, name } = tool;
      // A mark may have been added or removed since the query.
      const isTaken = [marks.get(window)?.get(name), window === own ? before.get(name) : undefined];
      if (isTaken.includes(true) || !isOursToOffer(window, own)) return false;
      // The browser has not decided yet whose tool it is; until then nothing changes.
      return !isTaken.includes(false) || joined.has(tool);
    };
    report([...problems, ...joined.set(tools.filter(isOurs))]);
  }

  const watch = environment.watch(look);
  // The page may have taken or released a name, which changes nothing in the browser.
  const joinAgain = () => !isClosed && last && join(last);
  const unsubscribe = toolbox.subscribe(joinAgain);
  look();
  return {
    refresh: () => void joinAgain(),
    close() {
      isClosed = true;
      stopWaiting();
      watch.close();
      unsubscribe();
      joined.close();
    },
  };
}

function createReport(onError: OnError): (problems: readonly Error[]) => void {
  const reported = new Set<string>();
  return (problems) => {
    for (const problem of problems) {
      if (reported.has(problem.message) || reported.size >= maxReported) continue;
      reported.add(problem.message);
      try {
        onError(problem, { stage: "model context" });
      } catch (error) {
        console.error(error);
      }
    }
  };
}
