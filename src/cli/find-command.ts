import type { Command } from "./command.ts";
import { usageError } from "./command.ts";
import { commandTable } from "./command-table.ts";
import { nearest } from "./nearest.ts";

/** The command of this name; throws what was probably meant when there is none. */
export async function findCommand(name: string): Promise<Command> {
  const entry = Object.hasOwn(commandTable, name) ? commandTable[name] : undefined;
  if (entry !== undefined) return entry.load();
  const meant = nearest(name, Object.keys(commandTable));
  const next = meant === undefined ? "See: npx pagewire help" : `Did you mean "pagewire ${meant}"?`;
  throw usageError(`There is no command "${name}". ${next}`);
}
