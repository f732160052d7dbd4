// Where PostgreSQL's programs are on this machine; `node scripts/find-postgres.mjs` prints it. Debian keeps them off PATH.
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { isMain } from "./lib/is-main.mjs";

export const howToGetPostgres = "Install PostgreSQL: on Debian, apt-get install postgresql.";

const debian = "/usr/lib/postgresql";

/** The folder with `postgres` and `initdb`, or undefined. */
export function findPostgres() {
  const versions = existsSync(debian) ? readdirSync(debian).sort((one, other) => Number(other) - Number(one)) : [];
  const folders = [
    ...(process.env.PATH ?? "").split(delimiter),
    ...versions.map((version) => join(debian, version, "bin")),
  ];
  return folders.find((folder) => folder && ["postgres", "initdb"].every((name) => existsSync(join(folder, name))));
}

if (isMain(import.meta)) {
  const folder = findPostgres();
  console.log(folder ?? `No PostgreSQL found. ${howToGetPostgres}`);
  process.exitCode = folder ? 0 : 1;
}
