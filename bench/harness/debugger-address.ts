import { readFile } from "node:fs/promises";
import { join } from "node:path";

const patience = 15_000;

/**
 * The address of the debugger of the browser with this profile, from the file that the browser writes once it listens.
 */
export async function debuggerAddress(profile: string): Promise<string> {
  const end = performance.now() + patience;
  for (;;) {
    const text = await readFile(join(profile, "DevToolsActivePort"), "utf8").catch(() => "");
    if (text !== "") return `http://127.0.0.1:${text.split("\n")[0]}`;
    if (performance.now() > end) throw new Error("The browser does not say where its debugger is.");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
