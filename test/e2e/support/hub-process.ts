// The real `pagewire` command as a process of its own, with a state directory of its own.
import type { ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../support/free-port.ts";
import { spawnOwned } from "./processes.ts";
import type { OwnedProcess } from "./processes.ts";
import { waitUntil, within } from "./wait.ts";

const builtCommand = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

/** How the hub is started; omitted options get fresh values. */
export interface HubOptions {
  /** The state directory; a given one is not removed. */
  readonly home?: string;
  readonly port?: number;
  /** The script that runs the hub; the built command by default. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The arguments give it a certificate, and have `--json`. */
  readonly https?: boolean;
}

/** A hub in a process of its own. */
export interface HubProcess {
  readonly url: string;
  readonly port: number;
  readonly home: string;
  readonly process: ChildProcess;
  /** The agents' token, from the state directory. */
  token(): Promise<string>;
  /** Sends a signal, SIGKILL by default, and waits for the exit, except after SIGSTOP and SIGCONT. */
  kill(signal?: NodeJS.Signals): Promise<Awaited<OwnedProcess["exited"]> | undefined>;
  /** Ends it with SIGTERM, if it runs, and starts it again with the same port and state. */
  restart(): Promise<void>;
  /** The output of all its runs on stdout and stderr. */
  output(): string;
  close(): Promise<void>;
}

/** Starts the built command and waits until it is ready. */
export async function startHub({
  home: givenHome,
  port: givenPort,
  command = builtCommand,
  args = [],
  env = {},
  https = false,
}: HubOptions = {}): Promise<HubProcess> {
  const home = givenHome ?? (await mkdtemp(join(tmpdir(), "pagewire-home-")));
  const port = givenPort ?? (await freePort());
  const url = `${https ? "https" : "http"}://127.0.0.1:${port}`;
  const runs: OwnedProcess[] = [];
  let current = await run();

  async function run(): Promise<OwnedProcess> {
    const owned = await spawnOwned(process.execPath, [command, "--port", String(port), ...args], {
      env: environment(home, env),
      ...(givenHome === undefined && { folder: home }),
    });
    runs.push(owned);
    return owned;
  }

  const output = (): string => runs.map((owned) => owned.output()).join("");

  async function ready(): Promise<void> {
    const look = async (): Promise<boolean> => {
      const { exitCode, signalCode } = current.child;
      if (exitCode === null && signalCode === null)
        return https ? current.output().includes('"hub-listening"') : isReady(url);
      throw new Error(`The hub ended (${signalCode ?? exitCode}) before it was ready:\n${output()}`);
    };
    await waitUntil(look, () => `The hub at ${url} did not become ready:\n${output()}`);
  }

  async function kill(signal: NodeJS.Signals = "SIGKILL"): Promise<Awaited<OwnedProcess["exited"]> | undefined> {
    current.signal(signal);
    return signal === "SIGSTOP" || signal === "SIGCONT" ? undefined : current.exited;
  }

  async function terminate(): Promise<void> {
    await within(kill("SIGTERM"), () => `The hub did not end after SIGTERM:\n${output()}`);
  }

  async function close(): Promise<void> {
    current.signal("SIGCONT");
    try {
      await terminate();
    } finally {
      await kill();
    }
    if (givenHome === undefined) await rm(home, { recursive: true, force: true });
  }

  try {
    await ready();
  } catch (error) {
    await close();
    throw error;
  }

  return {
    url,
    port,
    home,
    get process() {
      return current.child;
    },
    token: async () => (await readFile(join(home, "token"), "utf8")).trim(),
    kill,
    async restart() {
      await terminate();
      current = await run();
      await ready();
    },
    output,
    close,
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch (error) {
    // fetch throws a TypeError while the port is closed; any other error is a bug in this file.
    if (error instanceof TypeError) return false;
    throw error;
  }
}

// The caller's environment is left out: provider keys and test runners' variables would change the hub's behaviour.
function environment(home: string, env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, LANG } = process.env;
  return { PATH, HOME, TMPDIR, LANG, PAGEWIRE_HOME: home, ...env };
}
