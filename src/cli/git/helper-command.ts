import { isOnPath } from "../connect/launch.ts";
import type { Installation } from "../connect/launch.ts";
import { shellWords } from "../connect/shell-words.ts";
import type { Io } from "../io.ts";

/**
 * What git is to run, as it stands in its config: the command where it is installed for all, else this installation by
 * its full path. Git gives what follows the `!` to a shell of its own, on every platform.
 */
export function helperCommand({ environment }: Pick<Io, "environment">, installation: Installation): string {
  const { node, script } = installation;
  const isCommand = isOnPath(environment["PATH"] ?? environment["Path"] ?? "", installation);
  const words = isCommand ? ["pagewire"] : [node, script].map((path) => path.replaceAll("\\", "/"));
  return `!${shellWords([...words, "git-credential"], "posix")}`;
}
