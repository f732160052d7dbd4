// The only module where tools have two names: the user's, and one that the provider accepts.
import type { IAiProvider } from "./provider.ts";

export interface ToolNames {
  /** The provider's name for a tool of the user's. */
  toWire(name: string): string;
  /** The user's name for a tool of the provider's. */
  fromWire(name: string): string;
}

const usual: NonNullable<IAiProvider["toolNames"]> = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 };

/** The names that all vendors' models accept. */
export const namesForAll = { pattern: /^[a-zA-Z_][a-zA-Z0-9_-]*$/, maxLength: 64 };

/** Names that the provider accepts are not changed. */
export function mapToolNames(names: readonly string[], rule = usual): ToolNames {
  const { pattern, maxLength } = rule;
  const isTaken = (name: string) => name.length <= maxLength && pattern.test(name);
  const refused = [...new Set(names)].filter((name) => !isTaken(name));
  const wire = new Map<string, string>();
  const users = new Map(names.filter(isTaken).map((name) => [name, name]));
  for (const name of refused) {
    const plain = name.replace(/\W/g, "_");
    const base = [plain, plain.toLowerCase(), `_${plain}`].find((each) => pattern.test(each)) ?? plain;
    let mapped = base.slice(0, maxLength);
    for (let count = 2; users.has(mapped); count++)
      mapped = base.slice(0, maxLength - String(count).length - 1) + `_${count}`;
    if (!isTaken(mapped)) throw new Error(`The provider takes no name for the tool "${name}" (${pattern}): rename it.`);
    wire.set(name, mapped);
    users.set(mapped, name);
  }
  return { toWire: (name) => wire.get(name) ?? name, fromWire: (name) => users.get(name) ?? name };
}
