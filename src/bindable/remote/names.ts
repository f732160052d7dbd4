import type { WcBindableDeclaration } from "../declaration.ts";
import { getWcBindableDeclaration } from "../declaration.ts";
import type { Fingerprint } from "./messages.ts";
import { remoteError } from "./remote-error.ts";

export interface DeclaredNames {
  readonly properties: readonly string[];
  readonly inputs: ReadonlySet<string>;
  readonly commands: ReadonlySet<string>;
}

/** Refuses a declaration that is not sound, or that uses a name which is the protocol's or every object's own. */
export function namesOf(declaration: WcBindableDeclaration): DeclaredNames {
  if (!getWcBindableDeclaration({ constructor: { wcBindable: declaration } })) {
    throw new TypeError("This is not a wc-bindable declaration: see to its protocol, version, and unique names.");
  }
  const names = readNames(declaration);
  for (const name of [...names.properties, ...names.inputs, ...names.commands]) {
    if (!isReservedName(name)) continue;
    throw remoteError("WC_BINDABLE_RESERVED_NAME", `"${name}" is a reserved name. Declare it under another one.`);
  }
  return names;
}

/** The names of a declaration that is known to be sound. */
export function readNames({ properties, inputs = [], commands = [] }: WcBindableDeclaration): DeclaredNames {
  const nameOf = ({ name }: { readonly name: string }) => name;
  return {
    properties: properties.map(nameOf),
    inputs: new Set(inputs.map(nameOf)),
    commands: new Set(commands.map(nameOf)),
  };
}

export function isReservedName(name: string): boolean {
  return /^(@wc-bindable\/.*|__proto__|prototype|constructor)$/s.test(name);
}

/** Throws if the declaration has no such input or command. */
export function requireDeclared(names: DeclaredNames, kind: "inputs" | "commands", name: string): void {
  if (names[kind].has(name)) return;
  const code = kind === "inputs" ? "WC_BINDABLE_UNDECLARED_INPUT" : "WC_BINDABLE_UNDECLARED_COMMAND";
  throw remoteError(code, `${JSON.stringify(name.slice(0, 100))} is not among the declared ${kind}.`);
}

/** A fingerprint that the two sides compare, to detect different declarations early. */
export function fingerprintOf({ properties, inputs, commands }: DeclaredNames): Fingerprint {
  return {
    protocol: "wc-bindable",
    version: 1,
    properties: [...properties].sort(),
    inputs: [...inputs].sort(),
    commands: [...commands].sort(),
  };
}

/** The differences of a server's declaration; throws where it is of another protocol. */
export function differencesOf(names: DeclaredNames, theirs: Fingerprint | undefined): string[] {
  const ours = fingerprintOf(names);
  const { protocol = ours.protocol, ...rest } = theirs ?? ours;
  if (protocol !== ours.protocol) throw new TypeError(`its declaration is of the protocol "${String(protocol)}"`);
  const fields = ["version", "properties", "inputs", "commands"] as const;
  return fields.filter((field) => JSON.stringify(rest[field]) !== JSON.stringify(ours[field]));
}
