import { existsSync, readFileSync } from "node:fs";
import { findChromium } from "../find-chromium.mjs";
import { run } from "./run.mjs";

/** The tests need a Chromium: installed here where that asks nobody, on Debian as root; elsewhere it says what to do. */
export function ensureChromium() {
  if (findChromium()) return;
  if (isRootOnDebian()) {
    console.log("Installing Chromium");
    run("apt-get", ["update"]);
    run("apt-get", ["install", "-y", "--no-install-recommends", "chromium"]);
  }
  if (!findChromium()) {
    console.error(
      "No Chromium found: install Chromium or Chrome, or set PAGEWIRE_CHROMIUM to its path. Browser tests fail.",
    );
  }
}

function isRootOnDebian() {
  if (process.getuid?.() !== 0 || !existsSync("/etc/os-release")) return false;
  return /^ID=debian$/m.test(readFileSync("/etc/os-release", "utf8"));
}
