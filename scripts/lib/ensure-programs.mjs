import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { findChromium } from "../find-chromium.mjs";
import { findPostgres, howToGetPostgres } from "../find-postgres.mjs";
import { chromiumVersion } from "./chromium-version.mjs";
import { run } from "./run.mjs";

/** The first whose own document.modelContext is the one that the tests expect. */
const oldestChromium = 156;

/** The programs that tests run, each by the name of its Debian package. `problem` says what is wrong with it, if anything is. */
const programs = {
  chromium: { problem: chromiumProblem },
  tmux: onPath("tmux", "Tests of terminals fail."),
  git: onPath("git", "Tests of git's credentials fail."),
  python3: onPath("python3", "Tests of the Python client fail."),
  postgresql: { problem: postgresProblem },
  "nats-server": onPath("nats-server", "Tests of several hubs fail."),
  nginx: onPath("nginx", "Tests of several hubs fail."),
};

/**
 * Installs missing or outdated programs where that needs no password, on Debian as root; elsewhere it prints what to do.
 */
export function ensurePrograms(names = Object.keys(programs)) {
  let problems = problemsOf(names);
  if (problems.size > 0 && isRootOnDebian()) {
    console.log(`Installing ${[...problems.keys()].join(", ")}`);
    run("apt-get", ["update"]);
    run("apt-get", ["install", "-y", "--no-install-recommends", ...problems.keys()]);
    problems = problemsOf(names);
  }
  for (const problem of problems.values()) console.error(problem);
}

function problemsOf(names) {
  const all = names.map((name) => [name, programs[name].problem()]);
  return new Map(all.filter(([, problem]) => problem !== undefined));
}

function chromiumProblem() {
  const path = findChromium();
  if (!path)
    return "No Chromium found: install Chromium or Chrome, or set PAGEWIRE_CHROMIUM to its path. Browser tests fail.";
  const version = chromiumVersion(path);
  // One that does not tell is tried.
  if (!version || Number.parseInt(version, 10) >= oldestChromium) return undefined;
  return (
    `${path} is version ${version}, and the tests need ${oldestChromium} or newer: upgrade it, or set PAGEWIRE_CHROMIUM ` +
    "to the path of a newer one. Some tests fail otherwise."
  );
}

function postgresProblem() {
  return findPostgres() ? undefined : `No PostgreSQL found. ${howToGetPostgres} Tests of the store fail.`;
}

function onPath(name, consequence) {
  return {
    problem() {
      const isThere = (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));
      return isThere ? undefined : `No ${name} found: install it. ${consequence}`;
    },
  };
}

function isRootOnDebian() {
  if (process.getuid?.() !== 0 || !existsSync("/etc/os-release")) return false;
  return /^ID=debian$/m.test(readFileSync("/etc/os-release", "utf8"));
}
