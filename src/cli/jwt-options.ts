import type { JwtOptions } from "../hub/index.ts";
import { usageError } from "./command.ts";
import { readSecretFile } from "./read-secret-file.ts";

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
  // A file, because a command line can be read by every process of the machine.
  const source = jwks === undefined ? { secret: readSecretFile(path ?? "", "The secret").trim() } : { jwks };
  return { ...source, ...(issuer === undefined ? {} : { issuer }) };
}
