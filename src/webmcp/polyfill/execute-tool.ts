import type { RegisteredTool } from "../model-context.ts";
import { failure } from "./failure.ts";
import { nativeAt, neighbourAt, pageWindows } from "./page-windows.ts";
import type { ToolAddress } from "./read-arguments.ts";
import { parseUrl, readAddress, readInput, readSignal } from "./read-arguments.ts";

/** Calls a tool of some document of this origin in the page. */
export function executeTool(tool: unknown, input: unknown, options: unknown): Promise<string | null> {
  const address = readAddress(tool);
  const json = readInput(input);
  const signal = readSignal(options);
  signal?.throwIfAborted();
  const run = findTool(address);
  return new Promise((resolve, reject) => {
    const calling = new AbortController();
    const over = new AbortController();
    const giveUp = () => {
      reject(signal?.reason);
      calling.abort();
    };
    const gone = () =>
      reject(failure("UnknownError", `The frame of the tool "${address.name}" was removed or navigated.`));
    signal?.addEventListener("abort", giveUp, { signal: over.signal });
    // A document that is gone runs no more promises: it would never answer.
    if (address.window !== window) address.window.addEventListener("pagehide", gone, { signal: over.signal });
    run(json, calling.signal)
      .then(resolve, (error: unknown) => reject(asOwn(error)))
      .finally(() => over.abort());
  });
}

type Run = (input: string, signal: AbortSignal) => Promise<string | null>;

function findTool({ name, origin: from, window: there }: ToolAddress): Run {
  const url = parseUrl(from);
  if (!url) throw failure("NotSupportedError", `The origin of the tool "${name}" is none.`);
  if (there.closed) throw failure("InvalidStateError", `The frame of the tool "${name}" is not there any more.`);
  const isHere = pageWindows().includes(there) && url.origin === origin;
  const neighbour = isHere ? neighbourAt(there) : undefined;
  if (neighbour?.list().some((tool) => tool.name === name)) return (...call) => neighbour.run(name, ...call);
  const native = isHere && !neighbour ? nativeAt(there) : undefined;
  if (native) {
    const tool: RegisteredTool = { name, description: "", origin: from, window: there };
    return (input, signal) => native.executeTool(tool, JSON.parse(input) as object, { signal });
  }
  throw failure("UnknownError", `There is no tool "${name}" at its window: list the tools again.`);
}

/** An error of another window is no instance of this one's classes. */
function asOwn(error: unknown): unknown {
  const { name, message, cause } = Object(error) as Partial<Error>;
  return error instanceof DOMException || name === undefined ? error : failure(name, message ?? "", cause);
}
