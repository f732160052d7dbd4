// `connect` for tests: a project that has this package, a home directory of its own, and answers as data.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { runCli } from "../run-cli.ts";
import { createTestIo } from "./test-io.test-helper.ts";
import type { TestIo } from "./test-io.test-helper.ts";
import type { Step } from "../connect/clients/client.ts";

/** The output of `connect --json`. */
export interface Shown {
  readonly stdio: { readonly entry: object; readonly steps: readonly Step[] };
  readonly http: { readonly url: string; readonly steps: readonly Step[] };
  readonly notes: readonly string[];
}

/** The output of `connect --write --json`. */
export interface Written {
  readonly path: string;
  readonly result: string;
  readonly entry: object;
}

export interface ConnectTest {
  readonly cli: TestIo;
  readonly project: string;
  /** Another terminal of the same user. */
  terminal(): TestIo;
  /** Runs `connect --json`, on the project unless the arguments specify otherwise. */
  connect<Answer = Shown>(args: readonly string[], more?: Partial<TestIo["io"]>): Promise<Answer>;
  close(): void;
}

/** Without PAGEWIRE_HOME, the state is at its default place in the home directory. */
const plain = { PAGEWIRE_HOME: "" };

export function createConnectTest(): ConnectTest {
  const project = mkdtempSync(join(tmpdir(), "pagewire-project-"));
  const cli = createTestIo({ environment: plain });
  const terminal = () => createTestIo({ home: cli.home, environment: plain });
  // npx finds the package in the project.
  mkdirSync(join(project, "node_modules"));
  symlinkSync(process.cwd(), join(project, "node_modules", "pagewire"));
  return {
    cli,
    project,
    terminal,
    async connect<Answer>(args: readonly string[], more: Partial<TestIo["io"]> = {}) {
      const one = terminal();
      const own = args.includes("--user") || args.includes("--project") ? [] : ["--project", project];
      const code = await runCli(["connect", "--json", ...args, ...own], { ...one.io, ...more });
      expect([code, one.err()]).toEqual([0, ""]);
      return JSON.parse(one.out()) as Answer;
    },
    close() {
      cli.close();
      rmSync(project, { recursive: true, force: true });
    },
  };
}

/** The texts to type or to copy. */
export function codesOf(steps: readonly Step[]): readonly string[] {
  return steps.flatMap(({ code }) => (code === undefined ? [] : [code]));
}

/** The entry where npx finds the package. */
export const npxEntry = { type: "stdio", command: "npx", args: ["-y", "pagewire", "mcp"] };
