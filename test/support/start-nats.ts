// A NATS server for one test, on a free port.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface NatsServer {
  /** Such as nats://127.0.0.1:41234. */
  readonly url: string;
  readonly port: number;
  /** The port for other servers; undefined where `config` has no cluster. */
  readonly clusterPort: number | undefined;
  stop(how?: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** On the same port. */
  start(): Promise<void>;
  /** It hangs: its sockets stay open, and nothing gets through. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

/** `config` is added to the server's configuration. */
export async function startNats(config = ""): Promise<NatsServer> {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-nats-"));
  let server: ChildProcess | undefined;
  let port = -1;
  let clusterPort: number | undefined;

  async function start(): Promise<void> {
    const file = join(folder, "server.conf");
    writeFileSync(file, `host: "127.0.0.1"\nport: ${port}\nports_file_dir: "${folder}"\n${config}\n`);
    const portsAppear = fileWithPorts(folder);
    const child = spawn("nats-server", ["-c", file], { stdio: ["ignore", "ignore", "pipe"] });
    server = child;
    const end = () => child.kill("SIGKILL");
    process.once("exit", end);
    child.once("exit", () => process.off("exit", end));
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-2000)));
    const failed = once(child, "exit").then(() => {
      throw new Error(`nats-server did not start: ${said}`);
    });
    const ports = await Promise.race([portsAppear, failed]);
    failed.catch(() => {});
    port = portOf(ports.nats) ?? port;
    clusterPort = portOf(ports.cluster);
  }

  async function stop(how: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const child = server;
    server = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGCONT");
    child.kill(how);
    await ended;
    for (const name of portFiles(folder)) rmSync(join(folder, name));
  }

  await start();
  return {
    get url() {
      return `nats://127.0.0.1:${port}`;
    },
    get port() {
      return port;
    },
    get clusterPort() {
      return clusterPort;
    },
    stop,
    start,
    pause: () => void server?.kill("SIGSTOP"),
    resume: () => void server?.kill("SIGCONT"),
    async close() {
      await stop("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function portFiles(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.endsWith(".ports"));
}

interface Ports {
  readonly nats?: readonly string[];
  readonly cluster?: readonly string[];
}

function portOf([address]: readonly string[] = []): number | undefined {
  return address === undefined ? undefined : Number(new URL(address).port);
}

/** The addresses in the file that the server writes once it listens. */
function fileWithPorts(folder: string): Promise<Ports> {
  return new Promise((resolve) => {
    const watcher = watch(folder, () => {
      for (const name of portFiles(folder)) {
        const text = readFileSync(join(folder, name), "utf8");
        if (!text.endsWith("}")) continue;
        watcher.close();
        return resolve(JSON.parse(text) as Ports);
      }
    });
  });
}
