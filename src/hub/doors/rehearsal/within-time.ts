import { Script, createContext } from "node:vm";

/** Work that takes longer than it may: a stranger's schema can be made to, by its patterns and its references. */
export class OutOfTime extends Error {}

const script = new Script("work()");
const context = createContext({});

/** Does work, and breaks it off where it takes too long; only what leaves nothing half changed may be done so. */
export function withinTime<Result>(milliseconds: number, work: () => Result): Result {
  const done: Result[] = [];
  context["work"] = () => void done.push(work());
  try {
    script.runInContext(context, { timeout: Math.ceil(milliseconds) });
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    throw code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
      ? new OutOfTime(`more than ${Math.round(milliseconds)} ms`, { cause: error })
      : error;
  }
  const [result] = done;
  return result as Result;
}
