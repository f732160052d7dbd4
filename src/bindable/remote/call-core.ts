import type { BindableLogger } from "./messages.ts";
import { toWireError } from "./remote-error.ts";
import type { ShellCall } from "./shell-context.ts";

export interface CoreCallerOptions {
  readonly core: EventTarget;
  /** Whether the core declares `abort`: a command that is given up calls it. */
  readonly canAbort: boolean;
  readonly logger: BindableLogger;
}

/** Runs commands by calling the core's methods. */
export function createCoreCaller({ core, canAbort, logger }: CoreCallerOptions): (call: ShellCall) => unknown {
  function call(name: string, args: readonly unknown[]): unknown {
    const method = (core as unknown as Readonly<Record<string, unknown>>)[name];
    if (typeof method !== "function") throw new TypeError(`The core has no method "${name}".`);
    return method.apply(core, args);
  }

  async function abort(): Promise<void> {
    try {
      await call("abort", []);
    } catch (error) {
      logger.warn(`The core's abort failed: ${toWireError(error).message}`);
    }
  }

  return ({ name, args, signal }) => {
    if (canAbort && name !== "abort") signal.addEventListener("abort", () => void abort());
    return call(name, args);
  };
}
