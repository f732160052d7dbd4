// A user with a hub, a project, and programs on the PATH that stand in for those of clients.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import type { JsonObject } from "../../wire/index.ts";
import { findClient } from "../connect/clients/client-table.ts";
import type { Scope } from "../connect/clients/client.ts";
import type { Finding } from "../doctor/finding.ts";
import { startTestHub } from "./test-hub.test-helper.ts";
import type { TestHub } from "./test-hub.test-helper.ts";
import { createTestIo } from "./test-io.test-helper.ts";
import type { TestIo } from "./test-io.test-helper.ts";

export const stdio = { command: "npx", args: ["-y", "pagewire", "mcp"] };

export interface ProgramsWorld {
  readonly cli: TestIo;
  readonly hub: TestHub;
  readonly project: string;
  /** Connects a client, in the project where it has a file for that. Returns the file's path. */
  connect(id: string, entry?: JsonObject, scope?: Scope): string;
  /** Puts a program on the PATH that runs this script. */
  install(command: string, script: string): void;
  /** Puts programs on the PATH that must not be run; the function says whether one was. */
  installForbidden(...commands: readonly string[]): () => boolean;
  /** The doctor of a user whose PATH has these programs and no others. */
  doctor(isTerminal?: boolean): TestIo;
  /** The doctor's findings about programs. */
  findings(): Promise<readonly Finding[]>;
  close(): Promise<void>;
}

export async function createProgramsWorld(): Promise<ProgramsWorld> {
  const cli = createTestIo();
  const hub = await startTestHub(cli);
  const project = mkdtempSync(join(tmpdir(), "pagewire-project-"));
  const bin = join(cli.home, "bin");
  const doctor = (isTerminal = false) => createTestIo({ home: cli.home, environment: { PATH: bin }, isTerminal });
  function install(command: string, script: string): void {
    const path = join(bin, command);
    writeFileSync(path, `#!${process.execPath}\n${script}\n`);
    chmodSync(path, 0o755);
  }

  mkdirSync(bin);
  install("npx", "");
  return {
    cli,
    hub,
    project,
    connect(id, entry = stdio, scope = id === "qwen-code" ? "user" : "project") {
      const client = findClient(id);
      const path = client.configPath(scope, { ...cli.io, project }) ?? "";
      mkdirSync(dirname(path), { recursive: true });
      const isList = id === "opencode" && "args" in entry;
      const written = isList ? { type: "local", command: ["npx", ...stdio.args] } : entry;
      writeFileSync(path, client.format.snippet("pagewire", written));
      return path;
    },
    install,
    installForbidden(...commands) {
      const mark = join(cli.home, "ran");
      for (const command of commands) {
        install(command, `require("fs").writeFileSync(${JSON.stringify(mark)}, "")`);
      }
      return () => existsSync(mark);
    },
    doctor,
    async findings() {
      const one = doctor();
      expect([await one.run("doctor", "--json", "--project", project), one.err()]).toEqual([0, ""]);
      const all = (JSON.parse(one.out()) as { findings: Finding[] }).findings;
      return all.filter(({ about }) => about === "programs");
    },
    async close() {
      await hub.close();
      cli.close();
      rmSync(project, { recursive: true, force: true });
    },
  };
}

/** A finding in one line. */
export const told = ({ state, message, advice = [] }: Finding) => [`${state}: ${message}`, ...advice].join(" -> ");
