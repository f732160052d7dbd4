import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const execute = promisify(execFile);

export const repository = fileURLToPath(new URL("../../../", import.meta.url));

export interface PackedPackage {
  /** A folder with the package installed, its dependencies and peers, and nothing else. */
  readonly consumer: string;
  readonly tarball: ArrayBuffer;
  /** Every packed file, relative to the package's folder. */
  readonly files: readonly string[];
  /** Node's output for a module that runs in the consumer's folder. */
  runModule(source: string): Promise<string>;
  /** The output of the package's command. */
  runCommand(...parameters: string[]): Promise<string>;
  close(): Promise<void>;
}

interface Manifest {
  readonly version: string;
  readonly bin: { readonly pagewire: string };
  readonly exports: Record<string, unknown>;
  readonly dependencies: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
}

/** Packs the repository as `npm publish` would, and installs the result in a folder of its own. */
export async function packPackage(): Promise<PackedPackage> {
  const consumer = await mkdtemp(join(tmpdir(), "pagewire-package-"));
  const { stdout } = await npm(["pack", "--json", "--ignore-scripts", "--pack-destination", consumer], repository);
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  const tarballPath = join(consumer, packed.filename);
  const folder = join(consumer, "node_modules", "pagewire");
  await mkdir(folder, { recursive: true });
  await execute("tar", ["-xzf", tarballPath, "-C", folder, "--strip-components=1"]);
  await linkDependencies(consumer);
  const runNode = async (...parameters: string[]): Promise<string> => {
    const { stdout: printed } = await execute(process.execPath, parameters, { cwd: consumer });
    return printed;
  };
  const { buffer, byteOffset, byteLength } = await readFile(tarballPath);
  return {
    consumer,
    tarball: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer,
    files: packed.files.map((file) => file.path),
    runModule: (source) => runNode("--input-type=module", "--eval", source),
    async runCommand(...parameters) {
      const { bin } = await readManifest();
      return runNode(join(folder, bin.pagewire), ...parameters);
    },
    close: () => rm(consumer, { recursive: true, force: true }),
  };
}

/** The manifest in the repository's root. */
export async function readManifest(): Promise<Manifest> {
  return JSON.parse(await readFile(join(repository, "package.json"), "utf8"));
}

async function linkDependencies(consumer: string): Promise<void> {
  const { dependencies, peerDependencies } = await readManifest();
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    const link = join(consumer, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(repository, "node_modules", name), link, "junction");
  }
}

function npm(parameters: string[], cwd: string): Promise<{ stdout: string }> {
  const script = process.env["npm_execpath"];
  return script?.endsWith(".js")
    ? execute(process.execPath, [script, ...parameters], { cwd })
    : execute("npm", parameters, { cwd, shell: process.platform === "win32" });
}
