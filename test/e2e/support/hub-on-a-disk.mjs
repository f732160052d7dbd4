// The built hub, with its state directory on a small disk of its own: namespaces make it root, so that it may mount one.
// DISK is "small", or "read-only" for a disk on which the database cannot be written. SIGUSR1 fills the disk, SIGUSR2
// empties it and makes the database writable.
import { spawn, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const { DISK, PAGEWIRE_HOME: home } = process.env;
const command = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

/** Mounts the disk with a copy of the existing state. */
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
      // No space is left for a chunk of this size.
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

// Ignored here: a signal that ends the hub goes to its whole process group.
process.on("SIGTERM", () => {});
hub.on("exit", (code) => process.exit(code ?? 1));
