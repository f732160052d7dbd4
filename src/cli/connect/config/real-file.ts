import { lstatSync, readlinkSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { usageError } from "../../command.ts";

/** A file that is to be written, and the folder that it has to be in, wherever links lead. */
export interface Bounded {
  readonly path: string;
  readonly folder: string;
  /** Whose folder that is, in words. */
  readonly owner: string;
}

/** The file that a path stands for. Throws where that is outside of the folder: who made the link is not who writes. */
export function realFileIn({ path, folder, owner }: Bounded): string {
  const file = realPathOf(path);
  const way = relative(realPathOf(folder), file);
  if (way.split(sep)[0] !== ".." && !isAbsolute(way)) return file;
  throw usageError(
    `The file ${path} is a link to ${file}, which is outside of ${owner}, ${folder}. Nothing was written. If that is where it belongs, put it in there by hand: leave out --write to see what.`,
  );
}

/** Where a path ends, part by part, also where a link leads to what is not there yet. */
export function realPathOf(path: string, links = 0): string {
  const folder = dirname(path);
  if (folder === path) return path;
  const here = join(realPathOf(folder, links), basename(path));
  if (lstatSync(here, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return here;
  if (links > 40) throw usageError(`The links of ${path} lead nowhere.`);
  return realPathOf(resolve(dirname(here), readlinkSync(here)), links + 1);
}
