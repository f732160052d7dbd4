import { join } from "node:path";
import type { Place } from "./client.ts";

/** The folder in which a desktop app keeps its user's settings, as each system has it. */
export function appFolder(app: string, { environment, platform, homeDirectory }: Place): string {
  const { APPDATA, XDG_CONFIG_HOME } = environment;
  const folders: Readonly<Record<string, string>> = {
    win32: APPDATA || join(homeDirectory, "AppData", "Roaming"),
    darwin: join(homeDirectory, "Library", "Application Support"),
  };
  return join(folders[platform] ?? (XDG_CONFIG_HOME || join(homeDirectory, ".config")), app);
}
