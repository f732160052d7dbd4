import type { Json } from "../../wire/index.ts";
import { createShellCommands } from "./shell-commands.ts";
import type { Outcome, ShellCommands } from "./shell-commands.ts";

/** One proxy somewhere, whichever transport it is reached over at the moment. */
export interface ShellClient {
  /** Whether it can come back for outcomes. */
  readonly canReturn: boolean;
  readonly commands: ShellCommands;
  /** Its transport; undefined while it is away. */
  attachment: Reachable | undefined;
  /** Calls off that it is forgotten. */
  stopExpiry: (() => void) | undefined;
}

export interface Reachable {
  answer(outcome: Outcome): void;
  end(code: number, reason: string): void;
}

export interface ShellClientOptions {
  readonly canReturn: boolean;
  readonly copy: (value: unknown) => Json;
}

export function createShellClient({ canReturn, copy }: ShellClientOptions): ShellClient {
  const client: ShellClient = {
    canReturn,
    attachment: undefined,
    stopExpiry: undefined,
    commands: createShellCommands({
      keeps: canReturn,
      copy,
      done: (outcome) => client.attachment?.answer(outcome),
    }),
  };
  return client;
}
