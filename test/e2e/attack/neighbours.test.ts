// Another user of the same machine, or another program of the same user: on the hub's port, in its folder, behind a link.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { connectHub } from "pagewire/hub-client";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { startImpostor, startRelay } from "../../../src/cli/test-support/impostor.test-helper.ts";
import type { Impostor } from "../../../src/cli/test-support/impostor.test-helper.ts";
import { startHub } from "../support/hub-process.ts";
import { runCommand } from "./command.test-helper.ts";
import { startLocalHub } from "./local-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";
import type { Tally } from "./tally.test-helper.ts";

/** Every command that connects to a hub, with the arguments that it needs for that. */
const commands: readonly (readonly string[])[] = [
  ["tabs"],
  ["tools"],
  ["call", "work"],
  ["call", "work", "{}", "--key", "one"],
  ["watch"],
  ["open", "--print"],
  ["terminal", "--print"],
  ["terminal", "--code"],
  ["pins", "list"],
  ["doctor"],
  ["mcp", "--no-start"],
  ["attach-browser"],
  ["delegate", "--list"],
];

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "pagewire-neighbour-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** The secrets among these that the impostor received, if any. */
function secretsIn(impostor: Impostor, secrets: readonly string[]): string {
  const received = impostor.received();
  const found = [...secrets, "pagewire-proven"].some((secret) => received.includes(secret));
  return found || /authorization/i.test(received) ? "a secret" : "no secret";
}

interface Lead {
  readonly name: string;
  readonly impostor: Impostor;
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs every command where it could mistake the impostor for the hub. */
async function tryCommands({ name, impostor, home, env = {} }: Lead, tally: Tally): Promise<void> {
  const own = ["token", "shell-key"].map((file) => readFileSync(join(home, file), "utf8").trim());
  const secrets = [...own, ...Object.values(env).filter((value) => value !== impostor.url)];
  const left = [...commands];
  const one = async () => {
    for (let args = left.pop(); args; args = left.pop()) {
      await runCommand(args, { home, env });
      tally.add(`${args.join(" ")} ${name}`, secretsIn(impostor, secrets));
    }
  };
  await Promise.all([one(), one()]);
}

/** A state directory with a token and a shell key, whose hub was killed, and the program that took over its port. */
async function takePortOfHub() {
  const home = folder();
  const hub = await startHub({ home, args: ["--no-demo", "--no-model", "--no-code", "--terminal"] });
  const token = await hub.token();
  await hub.kill("SIGKILL");
  const impostor = await startImpostor(hub.port);
  onTestFinished(() => impostor.close());
  // The pid is of a live process, as if the number had been reused since then.
  const place = { url: impostor.url, port: impostor.port, pid: process.pid, version: "1" };
  writeFileSync(join(home, "hub.json"), JSON.stringify(place), { mode: 0o600 });
  return { home, token, impostor };
}

test("CL14: a program on the port of a hub that was killed is sent no secret, by any command or library", async () => {
  const { home, token, impostor } = await takePortOfHub();
  const tally = startTally(
    "neighbours",
    "another program listens where the hub was, or is named as the hub: every command, the proxy and the library",
    "no secret",
  );
  const other = {
    PAGEWIRE_URL: impostor.url,
    PAGEWIRE_TOKEN: "token-of-another-hub",
    PAGEWIRE_SHELL_KEY: "key-of-another-hub",
  };
  await tryCommands({ name: "where the hub was", impostor, home }, tally);
  await tryCommands({ name: "at PAGEWIRE_URL", impostor, home, env: { PAGEWIRE_URL: impostor.url } }, tally);
  await tryCommands({ name: "at PAGEWIRE_URL with secrets", impostor, home, env: other }, tally);
  await expect(
    connectHub({ url: impostor.url, token, agent: { name: "test", version: "1" }, WebSocket }),
  ).rejects.toThrow("did not prove");
  tally.add("connectHub", secretsIn(impostor, [token]));
  expect(impostor.received()).toContain("GET /api/proof?");
  tally.close();
});

test("CL60: a relay to the real hub, and somebody else's hub, get nothing that opens this one", async () => {
  const [own, other] = [await startLocalHub(), await startLocalHub()];
  onTestFinished(() => own.close());
  onTestFinished(() => other.close());
  const tally = startTally(
    "neighbours",
    "a relay to the right hub, and to another user's, named as the hub",
    "no secret",
  );
  for (const to of [own, other]) {
    const relay = await startRelay(to.port);
    onTestFinished(() => relay.close());
    const env = { PAGEWIRE_URL: relay.url, PAGEWIRE_TOKEN: to.token };
    for (const args of [["tabs"], ["call", "work"], ["open", "--print"], ["tools"]]) {
      const { code, text } = await runCommand(args, { home: own.home, env });
      expect(code, `${text}\n${to.output()}`).toBe(4);
      tally.add(`${args.join(" ")} by a relay`, secretsIn(relay, [own.token, other.token]));
    }
  }
  tally.close();
});

test("of many hubs that start at once on one state directory only one runs, also after a kill", async () => {
  const home = folder();
  const tally = startTally(
    "neighbours",
    "hubs started on a state directory that another hub has, and at once on one whose hub was killed",
    "one hub",
  );
  const hub = await startHub({ home, args: ["--no-demo", "--no-model", "--no-code"] });
  onTestFinished(() => hub.close());
  const announced = readFileSync(join(home, "hub.json"), "utf8");
  const again = () => runCommand(["hub", "--port", "0", "--no-demo", "--no-model", "--no-code"], { home });
  for (const { code, text } of await Promise.all([again(), again(), again()])) {
    const isNamed =
      text.includes(`(process ${hub.process.pid})`) && readFileSync(join(home, "hub.json"), "utf8") === announced;
    tally.add("beside one that runs", code === 1 && isNamed ? "one hub" : text);
  }
  await hub.kill("SIGKILL");
  const racers = await Promise.allSettled(
    Array.from({ length: 4 }, () => startHub({ home, args: ["--no-demo", "--no-model", "--no-code"] })),
  );
  const running = racers.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  onTestFinished(async () => void (await Promise.all(running.map((one) => one.close()))));
  for (const racer of racers)
    tally.add(
      "after a kill",
      racer.status === "fulfilled" || String(racer.reason).match(/A hub (already runs|starts or stops)/)
        ? "one hub"
        : String(racer.reason),
    );
  expect(running).toHaveLength(1);
  tally.close();
});

test("a state directory or secret that others can write to, or that is another user's, is refused by name", async () => {
  const tally = startTally(
    "neighbours",
    "a state directory or secret file that others can write to, or own",
    "refused by name",
  );
  const isRefused = async (home: string, what: string, args: readonly string[]) => {
    const { code, text } = await runCommand(args, { home });
    tally.add(`${what}: ${args.join(" ")}`, code !== 0 && text.includes(what) ? "refused by name" : text);
  };
  const starts = [
    ["hub", "--port", "0", "--no-demo"],
    ["token", "show"],
  ];
  for (const mode of [0o770, 0o720, 0o707, 0o702, 0o777]) {
    const home = folder();
    chmodSync(home, mode);
    for (const args of starts) await isRefused(home, "state directory", args);
  }
  for (const mode of [0o660, 0o606, 0o666]) {
    const home = folder();
    await runCommand(["token", "show"], { home });
    chmodSync(join(home, "token"), mode);
    for (const args of starts) await isRefused(home, join(home, "token"), args);
  }
  tally.close();
});

const projectFiles = [
  ["claude-code", ".mcp.json"],
  ["cursor", ".cursor/mcp.json"],
  ["vscode", ".vscode/mcp.json"],
  ["codex", ".codex/config.toml"],
] as const;

test("a link in a project does not make `connect --write` write anywhere else", async () => {
  const tally = startTally(
    "neighbours",
    "links in a project, of the file and of its folder, that lead out of it",
    "nothing written there",
  );
  for (const [client, file] of projectFiles) {
    for (const linked of new Set([file, file.split("/")[0] ?? file])) {
      for (const exists of [true, false]) {
        const [project, outside] = [folder(), join(folder(), "target")];
        const isFile = linked === file;
        if (exists && isFile) writeFileSync(outside, "theirs");
        if (exists && !isFile) mkdirSync(outside);
        mkdirSync(dirname(join(project, linked)), { recursive: true });
        symlinkSync(outside, join(project, linked));
        const { code } = await runCommand(["connect", client, "--write", "--project", project], { home: folder() });
        const found = lstatSync(outside, { throwIfNoEntry: false });
        const kept = exists
          ? isFile
            ? readFileSync(outside, "utf8") === "theirs"
            : readdirSync(outside).length === 0
          : !found;
        tally.add(
          `${client} by ${linked}, ${exists ? "there" : "not there"}`,
          kept && code !== 0 ? "nothing written there" : `code ${code}`,
        );
      }
    }
  }
  tally.close();
});
