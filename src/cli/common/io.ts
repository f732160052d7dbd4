import { spawn } from "node:child_process";
import { closeSync, constants, openSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import type { Readable, Writable } from "node:stream";
import { openKeyring } from "../contexts/keyring.ts";
import type { Keyring } from "../contexts/keyring.ts";
import { parseTrace } from "../../wire/index.ts";
import type { TraceContext } from "../../wire/index.ts";

export type MaybeTerminal<Stream> = Stream & { readonly isTTY?: boolean; readonly columns?: number };

/** Everything outside that the command touches, so that tests can supply it. */
export interface Io {
  readonly stdin: MaybeTerminal<Readable>;
  readonly stdout: MaybeTerminal<Writable>;
  readonly stderr: MaybeTerminal<Writable>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly homeDirectory: string;
  now(): Date;
  readonly fetch: typeof fetch;
  /** The operating system's place for secrets, if it has one. */
  keyring(): Promise<Keyring | undefined>;
  /**
   * Calls the listener on Ctrl-C and on termination signals instead of exiting; returns a function that removes it. The end of
   * the terminal is one for those who name it: others may be told to outlive it, as by nohup.
   */
  onInterrupt(listener: () => void, more?: "SIGHUP"): () => void;
  openInBrowser(url: string, onError: (error: Error) => void): void;
  /** Writes to the terminal that this runs in, wherever the output goes; returns whether there is one. */
  writeToTerminal(text: string): boolean;
}

export function processIo(): Io {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
    platform: process.platform,
    homeDirectory: homedir(),
    now: () => new Date(),
    fetch,
    keyring: () => openKeyring(process.env, process.platform),
    onInterrupt(listener, more) {
      const signals = ["SIGINT", "SIGTERM", ...(more ? [more] : [])] as const;
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
    openInBrowser(url, onError) {
      const [command, ...args] = openers[process.platform] ?? ["xdg-open"];
      const child = spawn(command ?? "", [...args, url], { stdio: "ignore", detached: true });
      child.on("error", onError);
      child.unref();
    },
    writeToTerminal(text) {
      try {
        writeToDevice(text);
        return true;
      } catch {
        if (process.stdout.isTTY) process.stdout.write(text);
        return process.stdout.isTTY;
      }
    },
  };
}

function writeToDevice(text: string): void {
  // If there is no such device, no file is created in its place.
  const device = openSync("/dev/tty", constants.O_WRONLY);
  try {
    writeFileSync(device, text);
  } finally {
    closeSync(device);
  }
}

/** The command that opens an address in the user's browser. */
const openers: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** The caller's trace context, from TRACEPARENT and TRACESTATE. */
export function environmentTrace({ environment }: Pick<Io, "environment">): TraceContext | undefined {
  return parseTrace({ traceparent: environment["TRACEPARENT"], tracestate: environment["TRACESTATE"] });
}
