// The files of deploy/ against the hub: options, variables, paths, metrics, times.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { findCommand } from "../../src/cli/command-table.ts";
import { parseArguments } from "../../src/cli/run-cli.ts";
import { createMetrics } from "../../src/hub/common/metrics.ts";
import { routes } from "../../src/hub/http/routes.ts";
import { defaultLimits } from "../../src/wire/index.ts";
import { deployFolder, readCompose, readDeployed, readVariables, repository } from "./support/deploy-files.ts";
import type { Pod, Resource } from "./support/deploy-files.ts";

const { services } = readCompose({ PUBLIC_HOST: "hub.example.com", POSTGRES_PASSWORD: "one", NATS_PASSWORD: "two" });
const hubs = Object.entries(services).filter(([name]) => name.startsWith("hub-"));
const resources = parseAllDocuments(readDeployed("kubernetes.yaml")).map((each) => each.toJS() as Resource);
const unit = readDeployed("systemd/pagewire-hub@.service");
const containerfile = readDeployed("Containerfile");
const proxy = readDeployed("nginx.conf");
const { version, peerDependencies } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
};

function podOf(kind: string, name: string): Pod {
  const found = resources.find((each) => each.kind === kind && each.metadata.name === name)?.spec?.template?.spec;
  if (!found) throw new Error(`kubernetes.yaml has no ${kind} ${name} with pods.`);
  return found;
}

const pod = podOf("StatefulSet", "hub");
const [container] = pod.containers;
const inSettings = readVariables(readDeployed("systemd/hubs.env.example"));
const started = /^ExecStart=\S+ \S+ (.+)$/m.exec(unit)?.[1] ?? "";
const ofUnit = started.replaceAll("%i", "7337").replace("$PAGEWIRE_OPTIONS", inSettings["PAGEWIRE_OPTIONS"] ?? "");

const starts: readonly (readonly [where: string, words: readonly string[]])[] = [
  ...hubs.map(([name, { command = [] }]) => [`compose.yaml: ${name}`, command] as const),
  ["kubernetes.yaml", container.args],
  ["pagewire-hub@.service", ofUnit.split(" ")],
];

test.each(starts)(
  "%s starts a hub behind a proxy, with options that there are and no secret among them",
  async (_, words) => {
    const [name = "", ...args] = words;
    const { values } = parseArguments(await findCommand(name), args);
    expect(name).toBe("hub");
    expect(values).toMatchObject({
      "behind-proxy": [expect.any(String)],
      "public-host": ["hub.example.com"],
      "metrics-port": expect.stringMatching(/^\d+$/) as string,
      nats: undefined,
      database: undefined,
    });
    expect(words.join(" ")).not.toMatch(/:\/\/[^/ ]*@/);
  },
);

test("no file names a variable that the command line does not read", () => {
  const sources = filesIn(join(repository, "src")).filter((path) => /^(cli|state)\/.*\.ts$/.test(path));
  const read = sources.flatMap((path) => variablesIn(readFileSync(join(repository, "src", path), "utf8")));
  const known = new Set([...read, "PAGEWIRE", "PAGEWIRE_OPTIONS"]);
  const named = filesIn(deployFolder).flatMap((path) => variablesIn(readDeployed(path)));
  expect(named).toEqual(expect.arrayContaining(["PAGEWIRE_DATABASE", "PAGEWIRE_NATS", "PAGEWIRE_HUB_NAME"]));
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

const variablesIn = (text: string) => text.match(/\bPAGEWIRE(_[A-Z]+)*\b/g) ?? [];

/** The files that are in the repository, not those that prepare.sh made. */
function filesIn(folder: string): readonly string[] {
  const found = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: folder });
  return found.toString().trim().split("\n");
}

test("images are pinned by version, and hold this version of the package with the peers that it wants", () => {
  const ofPods = ["StatefulSet hub", "Deployment nats"].map((each) => each.split(" ") as [string, string]);
  const images = [
    ...Object.values(services).map(({ image }) => image),
    ...ofPods.flatMap((each) => podOf(...each).containers.map(({ image }) => image)),
    /^FROM (\S+)$/m.exec(containerfile)?.[1] ?? "",
  ];
  for (const image of images) expect(image).toMatch(/:\d+(\.\d+){1,2}(-[a-z]+)*$/);
  for (const image of images.filter((each) => each.includes("pagewire")))
    expect(image).toContain(`pagewire:${version}`);
  expect(containerfile).toContain(`ARG PAGEWIRE=pagewire@${version}\n`);
  for (const name of ["pg", "@nats-io/transport-node"]) {
    const [, major] = new RegExp(` ${name}@(\\d+)\\.\\d+\\.\\d+ `).exec(containerfile) ?? [];
    expect(peerDependencies[name]).toMatch(new RegExp(`^[\\^>=]+${major}\\.`));
  }
});

test("the image runs a hub as a user of its own, with its state in a volume and a check of its health", () => {
  const user = containerfile.indexOf("\nUSER node\n");
  expect(user).toBeGreaterThan(containerfile.lastIndexOf("\nRUN "));
  expect(containerfile.indexOf("\nENTRYPOINT [")).toBeGreaterThan(user);
  for (const line of ["VOLUME /var/lib/pagewire", "STOPSIGNAL SIGTERM", "EXPOSE 7337 9464", 'CMD ["hub"]'])
    expect(containerfile).toContain(`\n${line}\n`);
  expect(containerfile).toMatch(/PAGEWIRE_HOME=\/var\/lib\/pagewire\n/);
  expect(containerfile).toMatch(/http:\/\/127\.0\.0\.1:7337\/healthz/);
  expect(containerfile).not.toMatch(/:latest|sudo|curl|^ADD /m);
});

const seconds = (text = "") => Number(/^(\d+)s?$/.exec(text)?.[1]);
const drain = defaultLimits.drainTime / 1000;

test("a hub has longer to stop than its calls have to end", () => {
  for (const [, { stop_grace_period: time }] of hubs) expect(seconds(time)).toBeGreaterThan(drain);
  expect(seconds(services["proxy"]?.stop_grace_period)).toBeGreaterThan(drain);
  expect(seconds(/^TimeoutStopSec=(.+)$/m.exec(unit)?.[1])).toBeGreaterThan(drain);
  const before = Number(container.lifecycle?.preStop.exec.command[1]);
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(before + drain);
});

test("the proxy's times and sizes fit the hubs' own", () => {
  const directive = (name: string) => new RegExp(`^ *${name} ([^;]+);`, "m").exec(proxy)?.[1];
  expect(seconds(directive("keepalive_timeout"))).toBeLessThan(defaultLimits.keepAliveTime / 1000);
  expect(directive("client_max_body_size")).toBe(`${defaultLimits.frameBytes / 1024 / 1024}m`);
  expect(directive("proxy_read_timeout")).toBe("1h");
  expect(directive("proxy_buffering")).toBe("off");
  // A POST that was sent is sent again only with `non_idempotent`.
  expect(directive("proxy_next_upstream")).toBe("error timeout http_503");
  for (const name of Object.keys(services).filter((each) => each.startsWith("hub-")))
    expect(proxy).toContain(`server ${name}:7337 max_fails=0;`);
  expect(services["proxy"]?.networks).toEqual({ hubs: { ipv4_address: "10.77.33.10" } });
  for (const [, { command = [] }] of hubs) expect(command).toContain("--behind-proxy=10.77.33.10");
});

test("pods are probed at paths that there are, and every name leads to something", () => {
  const paths = routes.map(({ path }) => path);
  for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"] as const) {
    const { path, port } = container[probe].httpGet;
    expect(paths).toContain(path);
    expect(container.ports.map(({ name }) => name)).toContain(port);
  }
  expect(container.readinessProbe.httpGet.path).toBe("/readyz");
  expect(container.livenessProbe.httpGet.path).toBe("/healthz");
  const labels = resources.flatMap((each) => each.spec?.template?.metadata.labels.app ?? []);
  expect(labels).toEqual(["pagewire-hub", "pagewire-nats"]);
  const text = readDeployed("kubernetes.yaml");
  for (const [, app] of text.matchAll(/\bapp: ([\w-]+)/g)) expect(labels).toContain(app);
  for (const { kind, metadata } of resources)
    expect(kind === "Namespace" || metadata.namespace === "pagewire").toBe(true);
  const kinds = resources.map(({ kind }) => kind);
  for (const kind of ["PodDisruptionBudget", "Ingress", "NetworkPolicy", "Secret"]) expect(kinds).toContain(kind);
});

/** The metrics' names that a hub of several has. */
function metricNames(): ReadonlySet<string> {
  const none = { messages: 0, bytes: 0 };
  const counts = { tabs: 0, agents: 0, callsInFlight: 0, outcomes: {}, conversations: 0, answers: 0, isStoreOk: true };
  const cluster = { isBusUp: true, hubs: 0, remoteTabs: 0, carried: 0, losses: 0, sent: none, received: none };
  const text = createMetrics().text({ ...counts, cluster });
  return new Set(["up", ...[...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = ""]) => name)]);
}

test("the dashboard and the alerts ask for metrics that a hub has", () => {
  const dashboard = JSON.parse(readDeployed("grafana-dashboard.json")) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  };
  const alerts = parse(readDeployed("alerts.yaml")) as {
    readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[];
  };
  const expressions = [
    ...dashboard.panels.flatMap(({ targets }) => targets),
    ...alerts.groups.flatMap(({ rules }) => rules),
  ].map(({ expr }) => expr);
  const known = metricNames();
  const asked = expressions.flatMap((text) => [...text.matchAll(/\b[a-z_]+(?=\{)|\b(?:pagewire|nodejs|process)_\w+/g)]);
  expect(new Set(asked.map(([name]) => name).filter((name) => !known.has(name)))).toEqual(new Set());
  const named = new Set(asked.map(([name]) => name));
  const missing = [...known].filter((name) => !named.has(name));
  // Counted for those who write hubs or pages.
  expect(missing).toEqual(["pagewire_unknown_frames_total", "pagewire_stray_answers_total"]);
});

const systemd = "systemd-analyze";
const hasProgram = (name: string) =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));

// A part of Debian's systemd, which machines for tests may lack.
test.skipIf(!hasProgram(systemd))("systemd finds no fault with the unit", () => {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-unit-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const here = unit
    .replace("/usr/bin/node", process.execPath)
    .replace("/opt/pagewire/node_modules/pagewire/", repository);
  writeFileSync(join(folder, "pagewire-hub@.service"), here);
  const words = ["verify", "--man=no", join(folder, "pagewire-hub@7337.service")];
  const said = execFileSync(systemd, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  expect(said).toBe("");
});
