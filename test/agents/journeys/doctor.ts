import { createHash } from "node:crypto";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect } from "vitest";
import type { Agent } from "../support/agent.ts";
import type { Journey } from "./journey.ts";

export const doctor: Journey = {
  title: "pagewire doctor has the program say how it is: set up, with a wrong command, and for a new user",
  isSlow: true,
  async run({ machine, agent }) {
    const { program, withSetting, pagewire, configPath } = agent;
    const before = await filesOf(machine.home);
    const { status: setUp, ms } = await ask(agent);
    expect(["connected", "enabled"]).toContain(setUp);
    const change = (text: string) => text.replace(JSON.stringify(process.execPath), '"cat"');
    const { status: wrong } = await withSetting({ file: { path: configPath, change } }, () => ask(agent));
    expect(changed(before, await filesOf(machine.home))).toEqual([]);

    // Another user of the same hub, who has trusted and approved nothing.
    const home = join(machine.home, "new-users", program.id);
    const project = join(home, "project");
    await mkdir(project, { recursive: true });
    const variables = { HOME: home, PAGEWIRE_HOME: join(machine.home, ".local", "state", "pagewire") };
    const untouched = await withSetting({ variables, cwd: project }, async () => {
      await pagewire("connect", program.id, "--write", "--absolute");
      const fresh = await filesOf(home);
      const { status } = await ask(agent);
      expect(changed(fresh, await filesOf(home))).toEqual([]);
      return status;
    });
    return { result: `${setUp}; ${wrong}; ${untouched}. No file of its user's is changed`, ms };
  },
};

interface Said {
  readonly findings: readonly { readonly client?: string; readonly status?: string }[];
}

async function ask({ program, pagewire }: Agent): Promise<{ readonly status: string; readonly ms: number }> {
  const { code, output, ms } = await pagewire("doctor", "--json");
  expect(code, output).toBe(0);
  const { findings } = JSON.parse(output) as Said;
  const status = findings.find(({ client }) => client === program.id)?.status;
  if (status === undefined) throw new Error(`The doctor does not say anything of ${program.title}: ${output}`);
  return { status, ms };
}

/** The hub runs, and writes. A version of Copilot CLI that runs for the first time unpacks itself. */
const theirOwn = [join(".local", "state", "pagewire"), join(".cache", "copilot", "pkg"), "new-users"];

/** The content of each file below a folder. */
async function filesOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !theirOwn.some((own) => relative(folder, path).startsWith(own)));
  const digests = paths.map(async (path) => {
    const digest = createHash("sha256").update(await readFile(path));
    return [relative(folder, path), digest.digest("hex")] as const;
  });
  return new Map(await Promise.all(digests));
}

function changed(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
}
