// Keeps what the browser lists in a page's toolbox: reads it, one reading at a time, and puts it there by its differences.
import type { LocalToolbox } from "../../toolbox/index.ts";
import type { OnError } from "../../wire/index.ts";
import { ownToolMarks } from "../own-tools.ts";
import { createJoined } from "./joined-tools.ts";
import { isSameTool } from "./name-tools.ts";
import { readModelContext } from "./read-model-context.ts";
import type { ListedTool, Listing } from "./read-model-context.ts";
import type { ModelContextWatch } from "./watch-model-context.ts";
import { isBelow, isOursToOffer } from "./windows.ts";

/** What joining needs of the document that it is done in. */
export interface JoinEnvironment {
  readonly window: Window;
  /** What there is at `document.modelContext` now. */
  modelContext(): unknown;
  watch(look: () => void): ModelContextWatch;
  /** Resolves when the browser may be asked for its tools. */
  mayAsk(): Promise<void>;
}

export interface KeepJoinedOptions {
  readonly fromOrigins: readonly string[];
  readonly offersPerPage: number;
  readonly onError: OnError;
  readonly environment: JoinEnvironment;
}

/** What was read, and which names were marked when it was asked for. */
interface Reading extends Listing {
  readonly marks: ReadonlyMap<string, boolean>;
}

/** More than this nobody is told of: frames could find ever new names to be refused. */
const mostTold = 1000;

/** Keeps the browser's tools in a toolbox; returns what takes them away again. */
export function keepJoined(
  toolbox: LocalToolbox,
  { fromOrigins, offersPerPage, onError, environment }: KeepJoinedOptions,
): () => void {
  const { window: own } = environment;
  const joined = createJoined(toolbox, {
    own,
    offersPerPage,
    async isThere(listed) {
      const { tools } = await read(listed.context);
      return tools.some((tool) => isSameTool(tool, listed));
    },
  });
  let frames: ReadonlySet<Window> = new Set();
  let reading: { readonly context: unknown; isStale: boolean } | undefined;
  let last: Reading | undefined;
  const told = new Set<string>();
  let isClosed = false;

  async function look(): Promise<void> {
    if (isClosed) return;
    const context = contextNow();
    // Another context is read at once: the one before may never answer.
    if (reading && reading.context === context) {
      reading.isStale = true;
      return;
    }
    const mine = (reading = { context, isStale: false });
    watch.follow(context, frames);
    const now = await read(context);
    if (isClosed || reading !== mine) return;
    reading = undefined;
    frames = new Set(now.tools.map(({ window }) => window).filter((window) => window !== own && isBelow(window, own)));
    watch.follow(context, frames);
    last = now;
    join(last);
    if (mine.isStale) void look();
  }

  async function read(context: unknown): Promise<Reading> {
    await environment.mayAsk();
    const marks = ownToolMarks(own);
    return { ...(await readModelContext(context, { own, fromOrigins })), marks };
  }

  /** What a script put in the place of the browser's may throw before it can be asked. */
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
      // A mark may have come or gone since the browser was asked.
      const isTaken = [marks.get(window)?.get(name), window === own ? before.get(name) : undefined];
      if (isTaken.includes(true) || !isOursToOffer(window, own)) return false;
      // Whose it is turns out when the browser has answered; until then it is what it was.
      return !isTaken.includes(false) || joined.has(tool);
    };
    tell([...problems, ...joined.set(tools.filter(isOurs))]);
  }

  function tell(problems: readonly Error[]): void {
    for (const problem of problems) {
      if (told.has(problem.message) || told.size >= mostTold) continue;
      told.add(problem.message);
      try {
        onError(problem, { stage: "model context" });
      } catch (error) {
        console.error(error);
      }
    }
  }

  const watch = environment.watch(() => void look());
  // The page may have taken a name or given one up; of that the browser knows nothing new.
  const unsubscribe = toolbox.subscribe(() => last && join(last));
  void look();
  return () => {
    isClosed = true;
    watch.close();
    unsubscribe();
    joined.close();
  };
}
