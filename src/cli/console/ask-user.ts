// Asks a page's questions on the terminal, one question at a time.
import { createInterface } from "node:readline/promises";
import type { AskHandler } from "../../hub-client/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import type { Io } from "../common/io.ts";
import { parseAnswer, questionFields } from "./parse-answer.ts";
import type { FieldAnswer, QuestionField } from "./parse-answer.ts";
import { oneLine, plainText } from "../common/plain-text.ts";
import type { Style } from "../common/printer.ts";

export interface AskUserOptions {
  readonly io: Pick<Io, "stdin" | "stderr">;
  readonly style: Style;
  /** Clears the terminal's line for the question. */
  beforeQuestion(): void;
  /** Ctrl-C was pressed while a question was open: the terminal sends no signal then. */
  onInterrupt(): void;
}

/** Repeats the question until the input can be parsed. */
type AskLine = (prompt: string, read: (text: string) => FieldAnswer) => Promise<Json | undefined>;

/** Whether input and output are a terminal. */
export function canAsk({ stdin, stderr }: Pick<Io, "stdin" | "stderr">): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Answers elicitations on the terminal. */
export function createAskUser(options: AskUserOptions): AskHandler {
  let last: Promise<unknown> = Promise.resolve();
  return (parameters, { name, signal }) => {
    const answer = last.then(() => askNow({ parameters, name, signal }, options));
    last = answer.catch(() => undefined);
    return answer;
  };
}

interface Asked {
  readonly parameters: JsonObject;
  readonly name: string;
  readonly signal: AbortSignal;
}

async function askNow({ parameters, name, signal }: Asked, options: AskUserOptions): Promise<JsonObject> {
  signal.throwIfAborted();
  const { io, style } = options;
  options.beforeQuestion();
  const terminal = createInterface({ input: io.stdin, output: io.stderr, terminal: true });
  terminal.on("SIGINT", options.onInterrupt);
  const closed = new AbortController();
  terminal.on("close", () => closed.abort());
  const eitherSignal = AbortSignal.any([signal, closed.signal]);
  const ask: AskLine = async (prompt, read) => {
    for (;;) {
      const answer = read(await terminal.question(prompt, { signal: eitherSignal }));
      if ("value" in answer) return answer.value;
      io.stderr.write(`${style.red(answer.problem)}\n`);
    }
  };
  try {
    const message = parameters["message"];
    io.stderr.write(
      `${style.bold(`${oneLine(name)} asks:`)} ${plainText(typeof message === "string" ? message : "")}\n`,
    );
    return await askAll(ask, questionFields(parameters));
  } catch (error) {
    // The end of the input is no answer.
    if (closed.signal.aborted && !signal.aborted) return { action: "cancel" };
    throw error;
  } finally {
    terminal.close();
  }
}

async function askAll(ask: AskLine, fields: readonly QuestionField[]): Promise<JsonObject> {
  const prompt = fields.length === 0 ? "Yes or no? [y/n] " : "Answer it? [Y/n] ";
  const isWanted = await ask(prompt, (text) => parseAnswer(wantedField(fields.length > 0), text));
  if (isWanted !== true) return { action: "decline" };
  const content: Record<string, Json> = {};
  for (const field of fields) {
    const value = await ask(promptFor(field), (text) => parseAnswer(field, text));
    if (value !== undefined) content[field.name] = value;
  }
  return { action: "accept", content };
}

/** The question before the questions: whether to answer at all. */
function wantedField(isWantedByDefault: boolean): QuestionField {
  return {
    name: "wanted",
    title: "",
    description: undefined,
    isRequired: true,
    fallback: isWantedByDefault ? true : undefined,
    choices: undefined,
    type: "boolean",
    schema: {},
  };
}

function promptFor({ title, description, choices, fallback, isRequired, type }: QuestionField): string {
  const about = [
    description ?? "",
    choices === undefined ? "" : `${type === "list" ? "any" : "one"} of: ${choices.join(", ")}`,
    type === "boolean" ? "yes or no" : "",
    isRequired || fallback !== undefined ? "" : "Enter to leave it out",
  ].filter((part) => part !== "");
  const help = about.length === 0 ? "" : ` (${about.join("; ")})`;
  const preset =
    fallback === undefined ? "" : ` [${typeof fallback === "string" ? fallback : JSON.stringify(fallback)}]`;
  return `${oneLine(title + help + preset)}: `;
}
