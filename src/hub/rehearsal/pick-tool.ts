// Picks the tool for a sentence by the words that they share.
import type { AiTool } from "../../ai/index.ts";
import { isJsonObject } from "../../wire/index.ts";
import { isStopWord, stemsOf, verbKindOf, wordsOf } from "./words.ts";
import type { VerbKind } from "./words.ts";

/** Below one word of a tool's name, or two of its description. */
const minScore = 2;
/** Limits, because a page's schemas may be large, and all of this runs on the hub's main thread. */
const maxDescription = 400;
const maxProperties = 12;
const maxValues = 40;
const maxName = 40;

interface Profile {
  readonly tool: AiTool;
  readonly name: readonly string[];
  /** The weight of each word for this tool. */
  readonly weights: ReadonlyMap<string, number>;
  /** The enum values of its parameters. */
  readonly values: readonly string[];
}

interface Question {
  readonly text: string;
  readonly stems: ReadonlySet<string>;
  /** All stems, and all original words, to match terms of several words. */
  readonly phrase: string;
  readonly words: string;
  readonly verbs: ReadonlySet<VerbKind>;
}

/** The best tool for a sentence; undefined if none matches. */
export function pickTool(tools: readonly AiTool[], sentence: string): AiTool | undefined {
  const profiles = tools.map(profileOf);
  const stems = stemsOf(sentence);
  const question: Question = {
    text: sentence,
    stems: new Set(stems),
    phrase: phraseOf(stems),
    words: phraseOf(wordsOf(sentence)),
    verbs: new Set(stems.flatMap((stem) => verbKindOf(stem) ?? [])),
  };
  let best: { readonly tool: AiTool; readonly score: number } | undefined;
  for (const profile of profiles) {
    const score = scoreOf(profile, question, profiles);
    if (score >= minScore && score > (best?.score ?? 0)) best = { tool: profile.tool, score };
  }
  return best?.tool;
}

/** The page's own name of a tool, without the prefix that the agent's window adds. */
export function plainNameOf({ name }: AiTool): string {
  return name.replace(/^(?:parent-window|other-tab)_/, "");
}

function profileOf(tool: AiTool): Profile {
  const name = stemsOf(plainNameOf(tool));
  const weights = new Map<string, number>();
  const values: string[] = [];
  const give = (stems: readonly string[], weight: number): void => {
    for (const stem of stems) if (!isStopWord(stem)) weights.set(stem, Math.max(weight, weights.get(stem) ?? 0));
  };
  give(
    name.filter((stem, at) => at > 0 || !verbKindOf(stem)),
    3,
  );
  give(stemsOf(tool.title ?? ""), 2);
  give(stemsOf(tool.description.slice(0, maxDescription)), 1);
  for (const [property, schema] of propertiesOf(tool.parameters).slice(0, maxProperties)) {
    give(stemsOf(property.slice(0, maxName)), 1.5);
    if (!isJsonObject(schema) || !Array.isArray(schema["enum"]) || values.length >= maxValues) continue;
    const listed: readonly unknown[] = schema["enum"].slice(0, maxValues - values.length);
    values.push(
      ...listed.flatMap((value) =>
        typeof value === "string" ? [phraseOf([value.slice(0, maxName).replaceAll("_", " ")])] : [],
      ),
    );
  }
  return { tool, name, weights, values };
}

function scoreOf({ tool, name, weights, values }: Profile, question: Question, all: readonly Profile[]): number {
  const { text, stems, phrase, words, verbs } = question;
  const ownVerbs = name.flatMap((stem) => verbKindOf(stem) ?? []);
  if (!mayRun(ownVerbs, verbs, text)) return 0;
  if (text.includes(tool.name) || (name.length > 1 && phrase.includes(phraseOf(name)))) return 100 + name.length;
  let score = 0;
  for (const stem of stems) {
    const weight = weights.get(stem);
    if (weight === undefined) continue;
    // A word that many tools share distinguishes less.
    const sharers = all.filter((other) => (other.weights.get(stem) ?? 0) >= weight).length;
    score += weight / Math.min(1.5, sharers ** 0.25);
  }
  const shared = ownVerbs.filter((kind) => verbs.has(kind));
  if (shared.length > 0) score += shared.includes(getting) ? 1 : 2.5;
  return values.some((value) => words.includes(value)) ? score + 1.5 : score;
}

const getting = verbKindOf("get") as VerbKind;
const denial = /\b(?:don['’]?t|do not|never|without|no need to)\b(?! forget)/i;

/** Whether the tool only reads, or the sentence asks for its change. */
function mayRun([first, ...others]: readonly VerbKind[], asked: ReadonlySet<VerbKind>, sentence: string): boolean {
  if (!first?.isChange) return true;
  if (denial.test(sentence)) return false;
  return asked.has(first) || others.some((other) => !other.isChange && asked.has(other));
}

function phraseOf(words: readonly string[]): string {
  return ` ${words.join(" ").toLowerCase()} `;
}

export function propertiesOf(schema: unknown): readonly (readonly [string, unknown])[] {
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  return isJsonObject(properties) ? Object.entries(properties) : [];
}
