// Which of the declared tools a sentence speaks of: each of its parts is compared with their names and descriptions.
import { isJsonObject } from "../../../../wire/index.ts";
import type { Json } from "../../../../wire/index.ts";
import { deedsIn, mayBeDone } from "./deeds.ts";
import type { Deeds } from "./deeds.ts";
import { deedOf } from "./verbs.ts";
import { isStopWord, placesOf, stemsOf, stemsOfName, tokensOf } from "./words.ts";
import type { Token } from "./words.ts";
import type { RehearsalTool } from "./request.ts";

/** A tool, and the part of the sentence that speaks of it. */
export interface Choice {
  readonly tool: RehearsalTool;
  readonly clause: string;
}

interface Profile {
  readonly tool: RehearsalTool;
  readonly name: readonly string[];
  /** How much each word says for this tool. */
  readonly weights: ReadonlyMap<string, number>;
  readonly values: readonly (readonly string[])[];
}

/** Less than a word of its name, or two of its description. */
const threshold = 2;

/** The tools that a sentence asks for; none where no tool fits it. */
export function chooseTools(tools: readonly RehearsalTool[], sentence: string): readonly Choice[] {
  const profiles = tools.map(profileOf);
  const choices: { tool: RehearsalTool; clause: string }[] = [];
  let open = "";
  for (const clause of clausesOf(sentence)) {
    const text = open + clause;
    const tool = bestOf(profiles, text, threshold);
    const last = choices.at(-1);
    const isOfLast = last !== undefined && (!tool || !speaksOf(profiles, tool, clause));
    if (isOfLast) last.clause += clause;
    else if (tool) choices.push({ tool, clause: text });
    open = isOfLast || tool ? "" : text;
  }
  if (choices.length === 1) return choices.map(({ tool, clause }) => ({ tool, clause: clause + open }));
  return choices.map(({ tool, clause }) => ({ tool, clause: clause.replace(/\s(?:and|then|plus|also)\s+$/i, "") }));
}

/** Whether a sentence asks for a tool outright: by a word of its name, or beginning with what to do. */
export function asksForTool(tools: readonly RehearsalTool[], sentence: string): boolean {
  const profiles = tools.map(profileOf);
  const tool = bestOf(profiles, sentence, threshold);
  const [first] = tokensOf(sentence);
  return tool !== undefined && (deedOf(first?.stem ?? "") !== undefined || speaksOf(profiles, tool, sentence));
}

/** The name that its page gave a tool: what an agent's window puts before it says nothing of what it does. */
export function plainNameOf({ name }: RehearsalTool): string {
  return name.replace(/^(?:parent-window|other-tab)_/, "");
}

/** The tool that fits best, however little that is. */
export function nearestTool(tools: readonly RehearsalTool[], sentence: string): RehearsalTool | undefined {
  const profiles = tools.map(profileOf);
  return bestOf(profiles, sentence, threshold) ?? bestOf(profiles, sentence, 0) ?? tools[0];
}

/** The parts of a sentence that may each ask for something, with all between them. */
function clausesOf(sentence: string): readonly string[] {
  const quoted = /"[^"]*"|“[^”]*”|`[^`]*`/g;
  const hidden = sentence.replace(quoted, (text) => "x".repeat(text.length));
  const ends = [...hidden.matchAll(/(?:[.;!?\n]|,)\s+|\s(?:and|then|plus|also)\s+/gi)].map(
    ({ 0: text, index }) => index + text.length,
  );
  return [0, ...ends].map((start, at) => sentence.slice(start, ends[at] ?? sentence.length));
}

/** Whether a word of the tool's name, and not only of its description, is in the clause. */
function speaksOf(profiles: readonly Profile[], tool: RehearsalTool, clause: string): boolean {
  const stems = new Set(tokensOf(clause).map(({ stem }) => stem));
  const name = profiles.find((profile) => profile.tool === tool)?.name ?? [];
  return name.some((stem) => stems.has(stem) && !isStopWord(stem)) && bestOf(profiles, clause, threshold) === tool;
}

function bestOf(profiles: readonly Profile[], text: string, least: number): RehearsalTool | undefined {
  const tokens = tokensOf(text);
  const deeds = deedsIn(text, tokens);
  let best: { readonly tool: RehearsalTool; readonly score: number } | undefined;
  for (const profile of profiles) {
    const score = scoreOf(profile, { text, tokens, deeds, profiles });
    if (score >= least && score > (best?.score ?? 0)) best = { tool: profile.tool, score };
  }
  return best?.tool;
}

interface Sentence {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly deeds: Deeds;
  readonly profiles: readonly Profile[];
}

function scoreOf(profile: Profile, { text, tokens, deeds, profiles }: Sentence): number {
  const { tool, name, weights, values } = profile;
  if (!mayBeDone(name, deeds)) return 0;
  if (text.includes(tool.name) || (name.length > 1 && placesOf(name, tokens).length > 0)) return 100 + name.length;
  const stems = new Set(tokens.map(({ stem }) => stem));
  let score = 0;
  for (const stem of stems) {
    const weight = isStopWord(stem) ? undefined : weights.get(stem);
    if (weight === undefined) continue;
    // A word that many names have says less, but a name's word is always enough.
    const sharers = profiles.filter((other) => (other.weights.get(stem) ?? 0) >= weight).length;
    score += weight / Math.min(1.5, sharers ** 0.25);
  }
  const done = name.map(deedOf).filter((deed) => deed !== undefined && deeds.asked.has(deed));
  if (done.length > 0) score += done.includes("get") ? 1 : 2.5;
  if (values.some((value) => placesOf(value, tokens).length > 0)) score += 1.5;
  return score;
}

function profileOf(tool: RehearsalTool): Profile {
  const name = stemsOfName(plainNameOf(tool));
  const weights = new Map<string, number>();
  const values: (readonly string[])[] = [];
  const give = (stems: readonly string[], weight: number): void => {
    for (const stem of stems) if (weight > (weights.get(stem) ?? 0)) weights.set(stem, weight);
  };
  give(
    name.filter((stem, at) => at > 0 || deedOf(stem) === undefined),
    3,
  );
  give(stemsOf(tool.description), 1);
  const { properties } = tool.parameters;
  for (const [property, schema] of Object.entries(isJsonObject(properties) ? properties : {})) {
    give(stemsOfName(property), 1.5);
    if (!isJsonObject(schema)) continue;
    const { description, enum: listed } = schema;
    give(typeof description === "string" ? stemsOf(description) : [], 0.5);
    const words: readonly Json[] = Array.isArray(listed) ? (listed as readonly Json[]) : [];
    values.push(...words.flatMap((value) => (typeof value === "string" ? [stemsOfName(value)] : [])));
  }
  return { tool, name, weights, values };
}
