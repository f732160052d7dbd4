// The running hub's address, and when a hub ran last. Owns the file `hub.json`, written by the hub that started last,
// and `last-hub.json`, to which `hub.json` is renamed when that hub stops.
import { existsSync, renameSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, parseJsonObject, PagewireError, parseUrl } from "../wire/index.ts";
import { createCachedFile } from "./cached-file.ts";
import { readText, replaceFile } from "./write-file.ts";
import { requireOwn } from "./require-own.ts";
import { isRunning, markProcess } from "./processes.ts";
import { stateError } from "./state-error.ts";
import { lockHolder, takeProcessLock } from "./process-lock.ts";
import type { LockHolder } from "./process-lock.ts";

const pathOf = (directory: string) => join(directory, "hub.lock");

/** Locks a state directory for the hub of this process. Throws while another process runs a hub with it. */
export function holdHub(directory: string, running: () => HubInfo | undefined): () => void {
  const lock = takeProcessLock(pathOf(directory));
  if ("release" in lock) return lock.release;
  throw new PagewireError("address-in-use", taken(directory, lock.holder, running()));
}

/** Whether a hub runs, starts or stops with a state directory. */
export function isHubHeld(directory: string): boolean {
  return lockHolder(pathOf(directory)) !== undefined;
}

function taken(directory: string, { pid, since }: LockHolder, running: HubInfo | undefined): string {
  const hub = running?.pid === pid ? `A hub already runs at ${running.url}` : "A hub starts or stops at the moment";
  const time = since === undefined ? "" : ` since ${since}`;
  return `${hub} (process ${pid}). It has the state directory ${directory}${time}. Use that hub or end it, or start this one with another PAGEWIRE_HOME.`;
}

export interface HubInfo {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly version: string;
  /** The file that it logs to, if it runs in the background. */
  readonly log?: string | undefined;
  /** How to start it again: the arguments after `pagewire hub`, and the folder that their paths are relative to. */
  readonly start?: { readonly arguments: readonly string[]; readonly folder: string } | undefined;
}

/** The content of the file. */
interface Announced extends HubInfo {
  readonly started: string | undefined;
}

export interface HubFile {
  /** The hub that runs; undefined when none was announced or its process has ended. */
  running(): HubInfo | undefined;
  announce(info: HubInfo): void;
  /**
   * When a hub ran here last, in milliseconds since 1970; undefined if unknown. If one was killed before it could
   * remove its announcement, the time is unknown, and the result is now.
   */
  lastRun(): number | undefined;
  /** Removes this hub's announcement, unless another hub has announced itself since. */
  forget(): void;
}

export function createHubFile(directory: string): HubFile {
  const path = join(directory, "hub.json");
  const lastPath = join(directory, "last-hub.json");
  const file = createCachedFile(path, (text, stats) => {
    requireOwn({ what: "file", path, mode: "600" }, stats);
    return parseHubInfo(path, text);
  });
  let written: string | undefined;

  return {
    running() {
      const announced = file.read();
      if (announced === undefined || !isRunning(announced)) return undefined;
      const { started: _started, ...info } = announced;
      return info;
    },
    announce(info) {
      const text = `${JSON.stringify({ ...info, ...markProcess(info.pid) }, null, 2)}\n`;
      replaceFile(path, text);
      written = text;
    },
    forget() {
      // Keep another hub's announcement, even one that cannot be parsed.
      if (written !== undefined && readText(path) === written) {
        renameSync(path, lastPath);
        const now = new Date();
        utimesSync(lastPath, now, now);
      }
      written = undefined;
    },
    lastRun: () => (existsSync(path) ? Date.now() : statSync(lastPath, { throwIfNoEntry: false })?.mtimeMs),
  };
}

function parseHubInfo(path: string, text: string): Announced {
  const { url, port, pid, version, started, log, start } = parseJsonObject(text, 4) ?? {};
  const isHub = typeof url === "string" && parseUrl(url) !== undefined && typeof version === "string";
  if (isHub && isWhole(port) && isWhole(pid))
    return {
      ...{ url, port, pid, version },
      started: textOf(started),
      log: textOf(log),
      start: parseStart(start),
    };
  throw stateError(
    `The file ${path} does not say where a hub is. Delete it, and start the hub again with: npx pagewire`,
  );
}

function parseStart(value: unknown): HubInfo["start"] {
  if (!isJsonObject(value)) return undefined;
  const { arguments: given, folder } = value;
  const isKnown = Array.isArray(given) && given.every((each) => typeof each === "string") && typeof folder === "string";
  return isKnown ? { arguments: given, folder } : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}
