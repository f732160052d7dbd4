// For tests in the browser: the one way to what only Node can do, such as being a server.
import { commands } from "vitest/browser";

declare module "vitest/browser" {
  interface BrowserCommands {
    inNode(module: string, name: string, values: readonly unknown[]): Promise<unknown>;
  }
}

/** The functions of a module as another process has them: what they are given, and what they give, goes over as JSON. */
export type InNode<Module> = {
  readonly [Name in keyof Module]: Module[Name] extends (...values: infer Values) => infer Result
    ? (...values: Values) => Promise<Awaited<Result>>
    : never;
};

/**
 * Runs the exported functions of a module in Node. There it is loaded once for all files of a run.
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
