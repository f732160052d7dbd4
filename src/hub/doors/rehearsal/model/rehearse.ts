// The rehearsal model: reads the last sentence, picks among the declared tools, fills their arguments, and reports what
// they gave. The same request on the same day is always given the same answer.
import { withoutSpeaker } from "../../../../ai/index.ts";
import type { JsonObject } from "../../../../wire/index.ts";
import { aboutRehearsal } from "./about.ts";
import { chooseTools, asksForTool, nearestTool, plainNameOf } from "./choose-tools.ts";
import type { Choice } from "./choose-tools.ts";
import { fillArguments } from "./fill/fill-arguments.ts";
import type { Filled } from "./fill/fill-arguments.ts";
import { joinAnswer, turnsAway, writeChosen, writeQuestion } from "./question.ts";
import { knownValues } from "./known-values.ts";
import { readSentence } from "./read-sentence.ts";
import { reportResults } from "./report-results.ts";
import type { PlannedCall, RehearsalRequest, RehearsalResult, RehearsalTurn, RehearsalWorld } from "./request.ts";
import { finishTurn } from "./finish-turn.ts";
import { writeImages, writeNoTool } from "./remarks.ts";

/** As much of a sentence as is read. */
const longestSentence = 4000;
/** As many calls as one turn makes. */
const mostCalls = 16;

export class UnanswerableSchema extends Error {}

export function rehearse(request: RehearsalRequest, world: RehearsalWorld): RehearsalTurn {
  const { text, calls } = answer(request, world);
  return finishTurn(request, text, calls);
}

interface Answer {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

function answer(request: RehearsalRequest, world: RehearsalWorld): Answer {
  const sentence = sentenceOf(request);
  const results = resultsOf(request);
  const calls = callsFor(request, { world, sentence, results });
  if (calls.calls.length > 0) return calls;
  if (request.responseSchema)
    return { text: writeObject(request.responseSchema, { world, sentence, results }), calls: [] };
  const parts = results.length > 0 ? [reportResults(results, request.messages)] : [writeImages(request), calls.text];
  return { text: [...parts, aboutRehearsal].filter(Boolean).join("\n\n"), calls: [] };
}

interface Situation {
  readonly world: RehearsalWorld;
  readonly sentence: string;
  /** What the tools gave for this sentence. */
  readonly results: readonly RehearsalResult[];
}

function callsFor(request: RehearsalRequest, { world, sentence, results }: Situation): Answer {
  const { tools, toolChoice, parallel } = request;
  const isForced = toolChoice === "required" || typeof toolChoice === "object";
  if (toolChoice === "none" || tools.length === 0 || (results.length > 0 && !isForced))
    return { text: writeNoTool(request, sentence), calls: [] };
  const chosen = choicesFor(request, sentence);
  const choices = chosen.slice(0, parallel ? mostCalls : 1);
  if (choices.length === 0) return { text: writeNoTool(request, sentence), calls: [] };
  const filled = choices.map((choice) => fillChoice(choice, { world, sentence, isForced }));
  const calls = filled.flatMap(({ filled: one, tool }) =>
    "arguments" in one ? [{ name: tool.name, arguments: one.arguments }] : [],
  );
  // Nothing is half done: what is missing is asked for first.
  const questions = filled.flatMap(({ filled: one, tool }) =>
    "missing" in one ? [writeQuestion(tool, one.missing)] : [],
  );
  if (questions.length > 0) return { text: questions.join("\n\n"), calls: [] };
  const unsaid = filled.flatMap(({ filled: one, tool }) => ("arguments" in one ? [writeChosen(tool, one)] : []));
  return { text: unsaid.filter(Boolean).join("\n\n"), calls };
}

function choicesFor({ tools, toolChoice }: RehearsalRequest, sentence: string): readonly Choice[] {
  if (typeof toolChoice === "object") {
    const tool = tools.find(({ name }) => name === toolChoice.name);
    return tool ? [{ tool, clause: sentence }] : [];
  }
  const chosen = chooseTools(tools, sentence);
  if (chosen.length > 0 || toolChoice !== "required") return chosen;
  const tool = nearestTool(tools, sentence);
  return tool ? [{ tool, clause: sentence }] : [];
}

interface FillSituation {
  readonly world: RehearsalWorld;
  readonly sentence: string;
  readonly isForced: boolean;
}

function fillChoice(
  { tool, clause }: Choice,
  { world, sentence, isForced }: FillSituation,
): { tool: Choice["tool"]; filled: Filled } {
  const fill = (text: string, invents: boolean): Filled =>
    fillArguments(
      tool.parameters,
      { ...world, name: plainNameOf(tool), reading: readSentence(text, world.today) },
      { invents },
    );
  const first = fill(clause, false);
  const isWhole = "arguments" in first && first.chosen.length === 0;
  // What its own part of the sentence does not say may be said for all of them.
  const second = isWhole || clause === sentence ? first : fill(sentence, false);
  const best = "arguments" in second ? second : first;
  return { tool, filled: isForced && "missing" in best ? fill(sentence, true) : best };
}

function writeObject(schema: JsonObject, { world, sentence, results }: Situation): string {
  const reading = readSentence(sentence, world.today);
  const filled = fillArguments(schema, { ...world, reading }, { invents: true, known: knownValues(results) });
  if ("arguments" in filled) return JSON.stringify(filled.arguments);
  throw new UnanswerableSchema("The rehearsal model found no object that satisfies the schema of the answer.");
}

/** What the user asked last; an answer to a question of ours together with what led to it. */
function sentenceOf({ messages, tools }: RehearsalRequest): string {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const said = messages[at];
  if (said?.role !== "user") return "";
  const asked = messages[at - 1];
  const before = messages.slice(0, Math.max(0, at - 1)).findLast(({ role }) => role === "user");
  const text = textOf(said);
  if (asked?.role !== "assistant" || before?.role !== "user" || turnsAway(text) || asksForTool(tools, text))
    return text;
  return joinAnswer({ before: textOf(before), question: asked.text, answer: text });
}

function textOf({ text }: { readonly text: string }): string {
  return withoutSpeaker(text).slice(0, longestSentence);
}

/** What tools gave since the user last spoke. */
function resultsOf({ messages }: RehearsalRequest): readonly RehearsalResult[] {
  const at = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(at + 1).flatMap((message) => (message.role === "tool" ? message.results : []));
}
