import { readFileSync } from "node:fs";
import type { HubOptions } from "../hub/index.ts";
import { watchFiles } from "../state/index.ts";
import { messageOf } from "../wire/index.ts";
import { usageError } from "./command.ts";
import { readSecretFile } from "./read-secret-file.ts";

/** The options of the command that say how others reach the hub. */
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
