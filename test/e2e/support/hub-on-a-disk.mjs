// The built hub, with its state directory on a small disk of its own: as the root of namespaces of its own it may mount one.
// DISK is "small", or "read-only" for one on which the database can only be read. SIGUSR1 fills the disk, SIGUSR2 empties it
// and lets the database be written.
import { spawn, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const { DISK, PAGEWIRE_HOME: home } = process.env;
const command = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

/** The state that is there goes along. */
const script = `
set -e
kept=$(mktemp -d)
cp -a "$PAGEWIRE_HOME/." "$kept"
mount -t tmpfs -o size=4m none "$PAGEWIRE_HOME"
cp -a "$kept/." "$PAGEWIRE_HOME"
rm -r "$kept"
if [ "$DISK" = read-only ]; then
  mount --bind "$PAGEWIRE_HOME/pagewire.db" "$PAGEWIRE_HOME/pagewire.db"
  mount -o remount,bind,ro "$PAGEWIRE_HOME/pagewire.db"
fi
exec "$0" "$@"`;

const isolated = ["--user", "--map-root-user", "--mount", "sh", "-c", script, process.execPath, command];
const hub = spawn("unshare", [...isolated, ...process.argv.slice(2)], { stdio: "inherit" });
const filler = join(`/proc/${hub.pid}/root`, home, "filler");

process.on("SIGUSR1", () => {
  for (const size of [100_000, 1000, 1]) {
    try {
      for (;;) writeFileSync(filler, "x".repeat(size), { flag: "a" });
    } catch {
      // No more of this size.
    }
  }
  console.log("The disk is full.");
});

process.on("SIGUSR2", () => {
  rmSync(filler, { force: true });
  const mount = ["mount", "-o", "remount,bind,rw", join(home, "pagewire.db")];
  if (DISK === "read-only")
    spawnSync("nsenter", ["-t", String(hub.pid), "-U", "-m", "--preserve-credentials", ...mount]);
  console.log("The disk is well.");
});

// The signals that end a hub go to its whole group.
process.on("SIGTERM", () => {});
hub.on("exit", (code) => process.exit(code ?? 1));
