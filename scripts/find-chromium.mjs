// Finds Chromium or Chrome on this machine; `node scripts/find-chromium.mjs` prints its path.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { isMain } from "./lib/is-main.mjs";

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "microsoft-edge"];

const places = {
  darwin: [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  ],
  win32: [process.env.LOCALAPPDATA, process.env.PROGRAMFILES, process.env["PROGRAMFILES(X86)"]]
    .filter(Boolean)
    .flatMap((folder) => [
      join(folder, "Chromium", "Application", "chrome.exe"),
      join(folder, "Google", "Chrome", "Application", "chrome.exe"),
      join(folder, "Microsoft", "Edge", "Application", "msedge.exe"),
    ]),
};

/** The path of an installed Chromium, or undefined. PAGEWIRE_CHROMIUM and CHROME_PATH come first. */
export function findChromium() {
  for (const variable of ["PAGEWIRE_CHROMIUM", "CHROME_PATH"]) {
    const path = process.env[variable];
    if (!path) continue;
    if (!isExecutable(path))
      throw new Error(`${variable} is "${path}", which is not an executable file. Correct or unset it.`);
    return path;
  }
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...onPath, ...(places[process.platform] ?? [])].find(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (isMain(import.meta)) {
  const path = findChromium();
  console.log(path ?? "No Chromium found: install Chromium or Chrome, or set PAGEWIRE_CHROMIUM to its path.");
  process.exitCode = path ? 0 : 1;
}
