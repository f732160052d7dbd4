import { readFileSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { PagewireError, messageOf } from "../wire/index.ts";
import { usageError } from "./command.ts";

/** The text of a file with a secret, such as "the secret"; throws where others than its owner, and root, can read it. */
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

/** Windows knows no owner and keeps no such modes. Root gives a file to a service by the service's group. */
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
