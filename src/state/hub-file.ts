// Where the running hub is. It owns the file `hub.json`, which the last hub that started has written.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseJsonObject } from "../wire/index.ts";
import { createCachedFile } from "./cached-file.ts";
import { readText } from "./read-text.ts";
import { stateError, systemCode } from "./state-error.ts";
import { replaceFile } from "./write-file.ts";

/** A hub on this machine. */
export interface HubInfo {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly version: string;
}

export interface HubFile {
  /** The hub that runs; undefined when none was announced or its process has ended. */
  running(): HubInfo | undefined;
  announce(info: HubInfo): void;
  /** Takes back what was announced here, unless another hub has announced itself since. */
  forget(): void;
}

export function createHubFile(directory: string): HubFile {
  const path = join(directory, "hub.json");
  const file = createCachedFile(path, (text) => parseHubInfo(path, text));
  let announced: string | undefined;

  return {
    running() {
      const info = file.read();
      return info !== undefined && isRunning(info.pid) ? info : undefined;
    },
    announce(info) {
      const text = `${JSON.stringify(info, null, 2)}\n`;
      replaceFile(path, text);
      announced = text;
    },
    forget() {
      // What somebody else has put there stays there, even if it can be read by nobody.
      if (announced !== undefined && readText(path) === announced) rmSync(path, { force: true });
      announced = undefined;
    },
  };
}

function parseHubInfo(path: string, text: string): HubInfo {
  const { url, port, pid, version } = parseJsonObject(text, 2) ?? {};
  const isHub = typeof url === "string" && URL.canParse(url) && typeof version === "string";
  if (isHub && isWhole(port) && isWhole(pid)) return { url, port, pid, version };
  throw stateError(
    `The file ${path} does not say where a hub is. Delete it, and start the hub again with: npx pagewire`,
  );
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, and belongs to somebody else.
    return systemCode(error) === "EPERM";
  }
}
