// Asks the programs themselves, where they are installed, what they make of the server that their files name.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { messageOf } from "../../wire/index.ts";
import type { Io } from "../common/io.ts";
import type { Place } from "../connect/clients/client.ts";
import { createInterrupts } from "../console/interrupts.ts";
import { hint } from "./finding.ts";
import type { Finding } from "./finding.ts";
import { statuses } from "./programs/program.ts";
import type { ClientEntry, Program, Told } from "./programs/program.ts";
import { programTable } from "./programs/program-table.ts";
import { findCommand, runBriefly } from "./run-briefly.ts";

export interface Asking {
  readonly io: Io;
  readonly place: Place;
  /** The command that rewrites an entry. */
  again(entry: ClientEntry): string;
  /** Aborted when the programs have had their time. */
  readonly patience?: AbortSignal;
}

/** Gemini CLI takes seconds to start, and more where much else runs. */
const timeout = 30_000;

/** Asks each installed program about these entries, which lead to a running hub. The user's settings stay as they are. */
export async function examinePrograms(entries: readonly ClientEntry[], asking: Asking): Promise<readonly Finding[]> {
  const asked = programTable.flatMap((program) => {
    const entry = entries.find(({ client, name }) => client.id === program.id && /^[\w-]{1,64}$/.test(name));
    return entry ? [{ program, entry }] : [];
  });
  if (asked.length === 0) return [];
  const { stderr } = asking.io;
  if (stderr.isTTY) stderr.write(`Asking ${asked.map(({ entry }) => entry.client.title).join(", ")}…\n`);
  const interrupts = createInterrupts(asking.io);
  try {
    const { signal } = interrupts;
    const findings = await Promise.all(
      asked.map(({ program, entry }) => examineProgram({ program, entry, signal }, asking)),
    );
    signal.throwIfAborted();
    return findings;
  } finally {
    interrupts.stop();
  }
}

interface Question {
  readonly program: Program;
  readonly entry: ClientEntry;
  readonly signal: AbortSignal;
}

/** Never rejects: the process ends after a rejection, and the other programs must have been ended before. */
async function examineProgram(question: Question, asking: Asking): Promise<Finding> {
  const { program, entry } = question;
  const { title } = entry.client;
  const path = findCommand(program.command, asking.io);
  const about = { about: "programs", client: program.id } as const;
  if (path === undefined) {
    const message = `${title} was not asked: there is no ${program.command} on the PATH.`;
    return { ...about, state: "well", status: "not-installed", message };
  }
  const shown = [program.command, ...program.args(entry.name)].join(" ");
  const told = await ask(path, question, asking).catch((error: unknown) => ({
    status: "unclear" as const,
    why: messageOf(error),
  }));
  if ("refusal" in told) {
    const message = `${title} was not asked: ${told.refusal}.`;
    return {
      ...about,
      ...hint("programs", message, `If you trust that, ask it yourself: ${shown}`),
      status: "not-asked",
    };
  }
  const { status } = told;
  const message = sentences[status](title, entry, { why: firstLine(told.why), shown });
  const advice = adviceFor(program, entry, { status, shown, again: asking.again(entry) });
  return { ...about, state: statuses[status], status, message, ...(advice.length > 0 ? { advice } : {}) };
}

async function ask(
  path: string,
  { program, entry, signal }: Question,
  { io, place, patience }: Asking,
): Promise<Told | { readonly refusal: string }> {
  const refusal = await program.refusal?.(entry, place);
  if (refusal !== undefined) return { refusal };
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pagewire-doctor-")));
  try {
    const { variables, files, cwd = place.project } = await program.copies(entry, place, folder);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(name)), { recursive: true });
      writeFileSync(join(folder, name), text, { mode: 0o600 });
    }
    const { text, isCut, error } = await runBriefly({
      program: path,
      args: program.args(entry.name),
      cwd,
      env: { ...io.environment, NO_COLOR: "1", ...variables },
      platform: io.platform,
      patience: patience ?? AbortSignal.timeout(timeout),
      signal,
    });
    if (isCut) return { status: "silent" };
    return error ? { status: "unclear", why: error.message } : program.read(text, entry);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

interface Words {
  readonly why: string;
  readonly shown: string;
}

const sentences: Readonly<Record<Told["status"], (title: string, entry: ClientEntry, words: Words) => string>> = {
  connected: (title, { name }) => `${title} says that ${name} is connected.`,
  enabled: (title, { name }) => `${title} has ${name} switched on. It starts it in a conversation only.`,
  pending: (title, { name }) => `${title} has not been allowed to use ${name} yet.`,
  rejected: (title, { name }) => `${title} was told not to use ${name} in this folder.`,
  untrusted: (title, { name }) => `${title} does not trust this folder, and does not use ${name} in it.`,
  disabled: (title, { name }, { why }) => `${title} has ${name} switched off${why && `: ${why}`}.`,
  failed: (title, { name }, { why }) => `${title} could not connect to ${name}${why && `: ${why}`}.`,
  missing: (title, { name, path }) => `${title} does not know ${name}, although ${path} names it.`,
  unclear: (title, { name }, { why }) => `${title} did not say how ${name} is${why && `: ${why}`}.`,
  silent: (title, { name }, { shown }) =>
    `${title} did not say how ${name} is: "${shown}" took too long and was ended.`,
};

interface Situation {
  readonly status: Told["status"];
  readonly shown: string;
  readonly again: string;
}

function adviceFor({ advice }: Program, { name }: ClientEntry, { status, shown, again }: Situation): readonly string[] {
  if (statuses[status] === "well") return [];
  const own = advice[status]?.replaceAll("<server>", name);
  if (own !== undefined) return [own];
  const self = `Ask it yourself: ${shown}`;
  return status === "failed" || status === "missing" ? [`Rewrite its entry with: ${again}`, self] : [self];
}

/** The first line that says something, without a final stop. */
function firstLine(text = ""): string {
  const line = text.split("\n").find((each) => /\w/.test(each)) ?? "";
  return line.trim().slice(0, 300).replace(/\.$/, "");
}
