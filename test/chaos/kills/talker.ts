// Talks with the hub's model, and records the questions that the model received, and the answers that arrived.
import { setTimeout as pause } from "node:timers/promises";
import { openCore } from "./core-client.ts";
import type { CoreMessage } from "./core-client.ts";
import type { Promises } from "./promises.ts";
import { answerTo } from "./scripted-model.ts";

export interface TalkerOptions {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly promises: Promises;
  readonly ending: AbortSignal;
}

/** The number of questions in one conversation. */
const questionsEach = 5;

/** Talks until the run ends; continues a conversation that a kill interrupted. */
export async function talk({ name, url, token, promises, ending }: TalkerOptions): Promise<void> {
  let number = 0;
  while (!ending.aborted) {
    let session: string | undefined;
    for (let turn = 0; turn < questionsEach && !ending.aborted; turn++) {
      const question = `${name} asks ${number++}`;
      try {
        const client = await openCore({ url, token, session });
        session = client.session;
        promises.asking(question, session);
        const said = await client.run("send", question, {});
        client.close();
        if (said === answerTo(question)) promises.answered(question);
      } catch {
        // The hub was killed, and is not back yet.
        await pause(50);
      }
    }
  }
}

/** The questions that the model received, and the answers that arrived, as far as they are missing. */
export async function missingTalk({
  url,
  token,
  promises,
}: Omit<TalkerOptions, "name" | "ending">): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const [session, questions] of promises.conversations()) {
    const client = await openCore({ url, token, session }).catch(String);
    if (typeof client === "string") {
      missing.push(`Conversation ${session} with ${questions.length} questions cannot be opened: ${client}`);
      continue;
    }
    for (const { text, isAnswered } of questions)
      missing.push(...missingTurn(client.messages, { text, isAnswered, session }));
    client.close();
  }
  return missing;
}

interface Turn {
  readonly text: string;
  readonly isAnswered: boolean;
  readonly session: string;
}

/** The missing parts of an accepted question, and of its answer if it arrived. */
export function missingTurn(messages: readonly CoreMessage[], { text, isAnswered, session }: Turn): readonly string[] {
  const at = messages.findIndex(({ content }) => content === text);
  const there = messages.map(describe).join(" | ");
  if (at < 0) return [`The question "${text}" is not in conversation ${session}: ${there}`];
  const next = messages[at + 1]?.content;
  if (!isAnswered || next === answerTo(text)) return [];
  return [`The answer to "${text}" is not in conversation ${session}: ${there}`];
}

function describe({ role, content }: CoreMessage): string {
  return `${role}: ${String(content)}`;
}
