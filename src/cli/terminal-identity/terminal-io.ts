import type { Io } from "../io.ts";

/** What of the outside tells which terminal a program runs in. */
export type TerminalIo = Pick<Io, "environment" | "platform" | "homeDirectory">;
