// The services of deploy/compose.yaml as processes of this machine, in the same shape: the same arguments, environments and
// configuration files, with ports and paths of their own.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { freePort } from "../../support/free-port.ts";
import { spawnOwned } from "../../e2e/support/processes.ts";
import type { OwnedProcess } from "../../e2e/support/processes.ts";
import { waitUntil, within } from "../../e2e/support/wait.ts";
import { startPostgres } from "../../support/start-postgres.ts";
import { deployFolder, imageWords, readCompose, readVariables, repository } from "./deploy-files.ts";
import type { Service } from "./deploy-files.ts";

export interface Composed {
  /** The proxy's address, such as https://127.0.0.1:41234. */
  readonly url: string;
  readonly httpUrl: string;
  /** The path of the certificate that prepare.sh made. */
  readonly certificate: string;
  /** The secret of the tokens. */
  readonly secret: string;
  readonly hubs: readonly string[];
  portOf(hub: string): number | undefined;
  /** What Prometheus gets from a hub. */
  metrics(hub: string): Promise<string>;
  start(service: string): Promise<void>;
  /** As `docker compose stop` does, or with another signal. */
  stop(service: string, signal?: NodeJS.Signals): Promise<void>;
  /** The output of a service so far. */
  output(service: string): string;
  close(): Promise<void>;
}

/** The processes of images. */
const programs: Readonly<Record<string, readonly string[]>> = {
  pagewire: imageWords("ENTRYPOINT").map((word) => word.replace("node_modules/pagewire/", repository)),
  nats: ["nats-server"],
  nginx: ["nginx", "-e", "stderr", "-g", "daemon off;", "-c", "/etc/nginx/nginx.conf"],
};

export async function startCompose(): Promise<Composed> {
  const folder = prepare();
  const postgres = await startPostgres();
  const [https, http, nats, natsMonitor] = await freePorts(4);
  const variables = readVariables(readFileSync(join(folder, ".env"), "utf8"));
  const { services, secrets } = readCompose({ ...variables, PUBLIC_HOST: `127.0.0.1:${https}` });
  const secret = join(folder, secrets["jwt-secret"]?.file ?? "");
  // The hubs are this user's processes.
  if (process.getuid) chownSync(secret, process.getuid(), process.getgid?.() ?? 0);
  const hubs = Object.keys(services).filter((name) => name.startsWith("hub-"));
  const ports = new Map<string, readonly number[]>();
  for (const hub of hubs) ports.set(hub, await freePorts(2));
  const running = new Map<string, OwnedProcess>();
  const portOf = (hub: string) => ports.get(hub)?.[0];
  const metricsOf = (hub: string) => `http://127.0.0.1:${ports.get(hub)?.[1]}`;
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];

  const places: readonly (readonly [there: string, here: string])[] = [
    ...hubs.map((hub) => [`${hub}:7337`, `127.0.0.1:${portOf(hub)}`] as const),
    ["10.77.33.10", "127.0.0.1"],
    ["@nats:4222", `@127.0.0.1:${nats}`],
    ["@postgres:5432", `@127.0.0.1:${postgres.port}`],
    ["/run/secrets/jwt-secret", secret],
    ["port: 4222", `host: 127.0.0.1, port: ${nats}`],
    ["127.0.0.1:8222", `127.0.0.1:${natsMonitor}`],
    ["listen 443 ssl;", `listen 127.0.0.1:${https} ssl;`],
    ["listen 80;", `listen 127.0.0.1:${http};`],
    ["/etc/nginx/tls", join(folder, "tls")],
    ["/tmp/nginx.pid", join(folder, "nginx.pid")],
    ["\nhttp {", `\nhttp {${temporary.map((each) => `\n${each}_temp_path ${join(folder, each)};`).join("")}`],
  ];
  const local = (text: string) => places.reduce((whole, [there, here]) => whole.replaceAll(there, here), text);

  /** The configuration files that a service mounts, as they have to be here. */
  function mounted({ volumes = [] }: Service): readonly (readonly [there: string, here: string])[] {
    const files = volumes.map((volume) => volume.split(":")).filter(([from = ""]) => from.endsWith(".conf"));
    return files.map(([from = "", to = ""]) => {
      const here = join(folder, `local-${basename(from)}`);
      writeFileSync(here, local(readFileSync(join(folder, from), "utf8")));
      return [to, here];
    });
  }

  async function start(name: string): Promise<void> {
    const { image, command = [], environment = {}, ...service } = services[name] ?? { image: "" };
    const words = programs[basename(image).split(":")[0] ?? ""] ?? [];
    const files = mounted({ image, ...service });
    const isHub = hubs.includes(name);
    const [port, metricsPort] = ports.get(name) ?? [];
    const own = isHub ? [`--port=${port}`, `--metrics-port=${metricsPort}`] : [];
    const given = command.filter((word) => !word.startsWith("--metrics-port="));
    const [program = "", ...args] = [...words, ...given, ...own].map((word) =>
      files.reduce((text, [there, here]) => text.replace(there, here), local(word)),
    );
    const log = openSync(logOf(name), "a");
    const owned = await spawnOwned(program === "node" ? process.execPath : program, args, {
      cwd: folder,
      env: {
        PATH: process.env["PATH"],
        PAGEWIRE_HOME: join(folder, `home-${name}`),
        ...Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, local(value)])),
      },
      stdio: ["ignore", log, log],
    });
    running.set(name, owned);
    const address = { nats: `http://127.0.0.1:${natsMonitor}`, proxy: `http://127.0.0.1:${http}` }[name];
    await answers(name, isHub ? `${metricsOf(name)}/readyz` : `${address}/healthz`);
  }

  async function answers(name: string, url: string): Promise<void> {
    const look = async () => {
      const { exitCode, signalCode } = running.get(name)?.child ?? {};
      if (exitCode !== null || signalCode !== null) throw new Error(`${name} ended:\n${output(name)}`);
      return fetch(url, { redirect: "manual" }).then(
        ({ status }) => status < 400,
        () => false,
      );
    };
    await waitUntil(look, () => `${name} does not answer at ${url}:\n${output(name)}`);
  }

  async function stop(name: string, signal?: NodeJS.Signals): Promise<void> {
    const owned = running.get(name);
    if (!owned) return;
    running.delete(name);
    owned.signal(signal ?? services[name]?.stop_signal ?? "SIGTERM");
    await within(owned.exited, () => `${name} did not end:\n${output(name)}`);
  }

  const logOf = (name: string) => join(folder, `${name}.log`);
  const output = (name: string) => (existsSync(logOf(name)) ? readFileSync(logOf(name), "utf8") : "");

  async function close(): Promise<void> {
    await Promise.all([...running.keys()].map((name) => stop(name, "SIGKILL")));
    await postgres.close();
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    const { POSTGRES_USER: user, POSTGRES_DB: database } = services["postgres"]?.environment ?? {};
    await postgres.query(`create role ${user} login`);
    await postgres.query(`create database ${database} owner ${user}`);
    await start("nats");
    await Promise.all(hubs.map(start));
    await start("proxy");
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: `https://127.0.0.1:${https}`,
    httpUrl: `http://127.0.0.1:${http}`,
    certificate: join(folder, "tls/hub.pem"),
    secret: readFileSync(secret, "utf8").trim(),
    ...{ hubs, portOf },
    metrics: async (hub) => (await fetch(`${metricsOf(hub)}/metrics`)).text(),
    ...{ start, stop, output, close },
  };
}

/** The folder after its first command: `./prepare.sh 127.0.0.1`. */
function prepare(): string {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-compose-"));
  // nginx's workers are another user's.
  chmodSync(folder, 0o711);
  const filter = (path: string) => !/\/deploy\/(\.env|secrets|tls)$/.test(path);
  cpSync(deployFolder, folder, { recursive: true, filter });
  execFileSync("sh", ["prepare.sh", "127.0.0.1"], { cwd: folder, stdio: "ignore" });
  return folder;
}

async function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, freePort));
}
