import { readFileSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import type { HubOptions, JwtOptions } from "../../hub/index.ts";
import { watchFiles } from "../../state/index.ts";
import { messageOf, PagewireError } from "../../wire/index.ts";
import { usageError } from "../common/command.ts";

/** The options for the hub's address, TLS and proxies. */
export interface ReachValues {
  readonly host: string | undefined;
  readonly "tls-cert": string | undefined;
  readonly "tls-key": string | undefined;
  readonly "behind-proxy": readonly string[];
  readonly insecure: boolean;
}

export interface ReachOptions extends Pick<HubOptions, "host" | "tls" | "proxies" | "insecure"> {
  /** Calls back, within a second, when the certificate or its key is another file than before. */
  onChange(listener: () => void): () => void;
}

export function readReachOptions(values: ReachValues): ReachOptions {
  const { host, "tls-cert": cert, "tls-key": key, "behind-proxy": proxies, insecure } = values;
  const common = { ...(host === undefined ? {} : { host }), proxies, insecure };
  if (cert === undefined && key === undefined) return { ...common, onChange: () => () => {} };
  if (cert === undefined || key === undefined) throw usageError("Give both: --tls-cert and --tls-key.");
  return {
    ...common,
    tls: () => ({ cert: readCertificate(cert), key: readSecretFile(key, "The certificate's key") }),
    onChange: (listener) => watchFiles([cert, key], listener),
  };
}

function readCertificate(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw usageError(`The certificate cannot be read from ${path}: ${messageOf(error)}`);
  }
}

/** The options of the command that are about jwt mode. */
interface JwtValues {
  readonly "jwt-secret-file": string | undefined;
  readonly jwks: string | undefined;
  readonly issuer: string | undefined;
}

/** How to verify tokens; undefined when jwt mode is off. */
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

/**
 * The text of a file with a secret, such as "the secret"; throws if users other than its owner and root can read it.
 */
export function readSecretFile(path: string, what: string, owner = process.getuid?.()): string {
  try {
    const { mode, uid } = statSync(path);
    checkClosed(path, what, { mode, uid, owner });
    return readFileSync(path, "utf8");
  } catch (error) {
    if (PagewireError.isInstance(error)) throw error;
    throw usageError(`${what} cannot be read from ${path}: ${messageOf(error)}`);
  }
}

type Looked = Pick<Stats, "mode" | "uid"> & { readonly owner: number | undefined };

/** Windows has no such owners and modes. Root gives a file to a service through the service's group. */
function checkClosed(path: string, what: string, { mode, uid, owner }: Looked): void {
  if (owner === undefined) return;
  if (uid !== owner && uid !== 0)
    throw usageError(
      `${what} is not read from ${path}: the file is another user's, who knows it. Make it yours with: sudo chown ${owner} "${path}"`,
    );
  const open = mode & (uid === 0 ? 0o037 : 0o077);
  if (open === 0) return;
  const octal = (mode & 0o777).toString(8).padStart(4, "0");
  throw usageError(
    `${what} is not read from ${path}: others can read or change the file (mode ${octal}). Close it with: chmod 600 "${path}"`,
  );
}
