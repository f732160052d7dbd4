// The commands of one client: each id runs once, however often it comes, and its outcome is kept until the client has it.
import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import type { ServerMessage, WireError } from "./messages.ts";
import { isError, remoteError, toWireError } from "./remote-error.ts";

export type Outcome = Extract<ServerMessage, { type: "return" | "throw" }>;

export interface ShellCommands {
  readonly size: number;
  readonly isBusy: boolean;
  has(id: string): boolean;
  /** The outcome, where there is one that was not taken yet. */
  outcome(id: string): Outcome | undefined;
  run(id: string, work: (signal: AbortSignal) => unknown): void;
  /** Aborts it, and forgets its outcome. */
  cancel(id: string): void;
  /** The client has these outcomes. */
  taken(ids: readonly string[]): void;
  /** Forgets every outcome that the client does not ask for. */
  keepOnly(ids: readonly string[]): void;
}

export interface ShellCommandsOptions extends Thrown {
  /** Whether outcomes are kept until they are taken. */
  readonly keeps: boolean;
  readonly done: (outcome: Outcome) => void;
}

interface Command {
  readonly controller: AbortController;
  outcome?: Outcome;
  isCancelled: boolean;
}

function createShellCommands({ keeps, done, ...thrown }: ShellCommandsOptions): ShellCommands {
  const commands = new Map<string, Command>();

  async function run(id: string, command: Command, work: (signal: AbortSignal) => unknown): Promise<void> {
    let outcome: Outcome;
    try {
      const made = work(command.controller.signal);
      // Synchronous requests are answered at once, in order.
      const value = copyResult(isThenable(made) ? await made : made, thrown.copy);
      outcome = { type: "return", id, ...(value !== undefined && { value }) };
    } catch (error) {
      outcome = { type: "throw", id, error: thrownBy(error, thrown) };
    }
    if (command.isCancelled || !keeps) commands.delete(id);
    else command.outcome = outcome;
    if (!command.isCancelled) done(outcome);
  }

  return {
    get size() {
      return commands.size;
    },
    get isBusy() {
      return [...commands.values()].some(({ outcome }) => !outcome);
    },
    has: (id) => commands.has(id),
    outcome: (id) => commands.get(id)?.outcome,
    run(id, work) {
      const command: Command = { controller: new AbortController(), isCancelled: false };
      commands.set(id, command);
      void run(id, command, work);
    },
    cancel(id) {
      const command = commands.get(id);
      if (!command) return;
      if (command.outcome) return void commands.delete(id);
      command.isCancelled = true;
      command.controller.abort(
        remoteError("WC_BINDABLE_ABORTED", "The client gave the command up.", { name: "AbortError" }),
      );
    },
    taken(ids) {
      for (const id of ids) if (commands.get(id)?.outcome) commands.delete(id);
    },
    keepOnly(ids) {
      const asked = new Set(ids);
      for (const [id, { outcome }] of commands) if (outcome && !asked.has(id)) commands.delete(id);
    },
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (Object(value) as { readonly then?: unknown }).then === "function";
}

function copyResult(value: unknown, copy: Thrown["copy"]): Json | undefined {
  try {
    return copy(value);
  } catch (cause) {
    throw remoteError("WC_BINDABLE_INVALID_RETURN_VALUE", toWireError(cause).message, { cause });
  }
}

/** How a thrown value is sent. */
interface Thrown {
  readonly copy: (value: unknown) => Json | undefined;
  /** Whether the causes of an error are sent, too. */
  readonly causes: boolean;
}

/** More causes than these are cut off; a chain may be a ring. */
const MAX_CAUSES = 8;

/** A thrown object that is no error is sent whole if JSON carries it: its fields are the information. */
function thrownBy(thrown: unknown, { copy, causes }: Thrown, depth = causes ? MAX_CAUSES : 0): WireError | JsonObject {
  try {
    if (!isError(thrown)) {
      const value = copy(thrown);
      return isJsonObject(value) ? value : toWireError(thrown);
    }
    const { cause } = depth > 0 ? thrown : {};
    const sent = isError(cause) ? thrownBy(cause, { copy, causes }, depth - 1) : copy(cause);
    return { ...toWireError(thrown), ...(sent !== undefined && { cause: sent as Json }) };
  } catch {
    // It cannot be sent as it is.
    return toWireError(thrown);
  }
}

/** One remote proxy, over any of its transports. */
export interface ShellClient {
  /** Whether it can resume and ask for outcomes. */
  readonly canReturn: boolean;
  readonly commands: ShellCommands;
  /** Its transport; undefined while it is away. */
  attachment: Reachable | undefined;
  /** Cancels the timer that forgets it. */
  stopExpiry: (() => void) | undefined;
}

export interface Reachable {
  answer(outcome: Outcome): void;
  end(code: number, reason: string): void;
}

interface ShellClientOptions extends Thrown {
  readonly canReturn: boolean;
}

export function createShellClient({ canReturn, ...thrown }: ShellClientOptions): ShellClient {
  const client: ShellClient = {
    canReturn,
    attachment: undefined,
    stopExpiry: undefined,
    commands: createShellCommands({
      ...thrown,
      keeps: canReturn,
      done: (outcome) => client.attachment?.answer(outcome),
    }),
  };
  return client;
}
