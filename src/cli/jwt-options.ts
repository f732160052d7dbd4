import { readFileSync } from "node:fs";
import type { JwtOptions } from "../hub/index.ts";
import { messageOf } from "../wire/index.ts";
import { usageError } from "./command.ts";

/** The options of the command that are about jwt mode. */
export interface JwtValues {
  readonly "jwt-secret-file": string | undefined;
  readonly jwks: string | undefined;
  readonly issuer: string | undefined;
}

/** How tokens are to be verified; undefined when jwt mode is off. */
export function readJwtOptions({ "jwt-secret-file": path, jwks, issuer }: JwtValues): JwtOptions | undefined {
  if (path !== undefined && jwks !== undefined) throw usageError("Give --jwt-secret-file or --jwks, not both.");
  if (path === undefined && jwks === undefined) {
    if (issuer !== undefined) throw usageError("--issuer is for jwt mode: give --jwt-secret-file or --jwks too.");
    return undefined;
  }
  const source = jwks === undefined ? { secret: readSecret(path ?? "") } : { jwks };
  return { ...source, ...(issuer === undefined ? {} : { issuer }) };
}

/** A file, because a command line can be read by every process of the machine. */
function readSecret(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw usageError(`The secret cannot be read from ${path}: ${messageOf(error)}`);
  }
}
