// For tests in the browser: access to Node, for example to start a server.
import { commands } from "vitest/browser";

declare module "vitest/browser" {
  interface BrowserCommands {
    inNode(module: string, name: string, values: readonly unknown[]): Promise<unknown>;
  }
}

/** A module's functions as another process sees them: arguments and results are sent as JSON. */
export type InNode<Module> = {
  readonly [Name in keyof Module]: Module[Name] extends (...values: infer Values) => infer Result
    ? (...values: Values) => Promise<Awaited<Result>>
    : never;
};

/**
 * Runs the exported functions of a module in Node, where it is loaded once for all files of a run.
 *
 *     const servers = inNode<typeof import("./servers.ts")>(new URL("./servers.ts", import.meta.url));
 *     const { url } = await servers.start();
 */
export function inNode<Module extends object>(module: URL): InNode<Module> {
  const run =
    (_: object, name: string | symbol) =>
    async (...values: readonly unknown[]) =>
      commands.inNode(module.pathname, String(name), values);
  return new Proxy({}, { get: run }) as InNode<Module>;
}
