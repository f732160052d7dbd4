// The files of deploy/, read as a person's tools would read them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

export const repository = fileURLToPath(new URL("../../../", import.meta.url));
export const deployFolder = join(repository, "deploy");

export interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly stop_signal?: NodeJS.Signals;
  readonly stop_grace_period?: string;
  readonly networks?: unknown;
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

export const readDeployed = (file: string) => readFileSync(join(deployFolder, file), "utf8");

/** With these variables, which `prepare.sh` writes. */
export function readCompose(variables: Readonly<Record<string, string>>): ComposeFile {
  const text = readDeployed("compose.yaml").replaceAll(/\$\{(\w+)(?::\?[^}]*)?\}/g, (_, name: string) => {
    if (variables[name] === undefined) throw new Error(`compose.yaml needs ${name}, which prepare.sh does not write.`);
    return variables[name];
  });
  return parse(text, { merge: true }) as ComposeFile;
}

/** The lines of a file such as .env. */
export function readVariables(text: string): Readonly<Record<string, string>> {
  const lines = text.split("\n").filter((line) => /^\w+=/.test(line));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

/** The words of an instruction of the Containerfile, such as ENTRYPOINT. */
export function imageWords(instruction: string): readonly string[] {
  const [, words = "[]"] = new RegExp(`^ *${instruction} (\\[.*\\])$`, "m").exec(readDeployed("Containerfile")) ?? [];
  return JSON.parse(words) as string[];
}

/** The parts of a resource of Kubernetes that are looked at. */
export interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: {
    readonly template?: { readonly metadata: { readonly labels: { readonly app: string } }; readonly spec: Pod };
  };
}

export interface Pod {
  readonly containers: readonly [Container, ...Container[]];
  readonly terminationGracePeriodSeconds: number;
}

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
