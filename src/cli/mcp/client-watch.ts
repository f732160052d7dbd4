// When there is no client any more. Nobody tells a command that it is not needed: its streams end, or its parent does.
import type { Io } from "../io.ts";

export interface ClientWatch {
  /** Resolves at the first sign. */
  readonly isGone: Promise<void>;
  stop(): void;
}

export interface ClientWatchOptions {
  readonly io: Pick<Io, "stdin" | "stdout" | "stderr" | "onInterrupt">;
  /** The process that started this one; another one once that has ended. */
  parentId(): number;
}

const LOOK_TIME = 1000;

export function watchClient({ io, parentId }: ClientWatchOptions): ClientWatch {
  const { stdin, stdout, stderr } = io;
  const parent = parentId();
  let stop = () => {};
  const isGone = new Promise<void>((resolve) => {
    const gone = () => resolve();
    for (const event of ["end", "close", "error"]) stdin.on(event, gone);
    // Elsewhere a lost output ends the process at once; here the hub is told first.
    stdout.removeAllListeners("error").on("error", gone);
    // Whoever does not want to hear anything is still served.
    stderr.removeAllListeners("error").on("error", () => {});
    const unhear = io.onInterrupt(gone);
    const timer = setInterval(() => (parentId() === parent && isRunning(parent)) || gone(), LOOK_TIME);
    stop = () => {
      unhear();
      clearInterval(timer);
    };
  });
  return { isGone, stop: () => stop() };
}

/** On Windows a process keeps the number of a parent that has ended. */
function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
