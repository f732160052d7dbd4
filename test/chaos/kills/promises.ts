// The conversations and consents that the hub has acknowledged, and so must still know after every kill.

/** A user's decision about a tool, where it is known; undefined if there is none. */
export type Decision = boolean | undefined;

interface Question {
  readonly text: string;
  readonly session: string;
  isAsked: boolean;
  isAnswered: boolean;
}

export interface Promises {
  /** A client is about to ask this. */
  asking(text: string, session: string): void;
  /** The model received the question, so the hub has accepted it. */
  asked(text: string): void;
  answered(text: string): void;
  /** The required contents of each conversation that has changed since the last check. */
  conversations(): ReadonlyMap<string, readonly Question[]>;
  /** Marks all conversations for a final check. */
  lookAtAll(): void;
  /** A decision is on its way: until it is acknowledged, it may hold or not. */
  deciding(tool: string, decision: Decision): void;
  decided(tool: string): void;
  /** The possible decisions about each tool. */
  decisions(): ReadonlyMap<string, readonly Decision[]>;
  readonly counts: { readonly questions: number; readonly answers: number; readonly decisions: number };
}

export function createPromises(): Promises {
  const questions = new Map<string, Question>();
  const bySession = new Map<string, Question[]>();
  const touched = new Set<string>();
  const decisions = new Map<string, Decision[]>();
  let decided = 0;

  const all = () => [...questions.values()];

  return {
    asking(text, session) {
      const question = { text, session, isAsked: false, isAnswered: false };
      questions.set(text, question);
      bySession.set(session, [...(bySession.get(session) ?? []), question]);
      touched.add(session);
    },
    asked(text) {
      const question = questions.get(text);
      if (question) question.isAsked = true;
    },
    answered(text) {
      const question = questions.get(text);
      if (question) question.isAnswered = true;
    },
    conversations() {
      const sessions = [...touched];
      touched.clear();
      const askedIn = (session: string) => (bySession.get(session) ?? []).filter(({ isAsked }) => isAsked);
      return new Map(
        sessions.map((session) => [session, askedIn(session)] as const).filter(([, asked]) => asked.length > 0),
      );
    },
    lookAtAll() {
      for (const session of bySession.keys()) touched.add(session);
    },
    deciding(tool, decision) {
      decisions.set(tool, [...(decisions.get(tool) ?? [undefined]), decision]);
    },
    decided(tool) {
      const last = decisions.get(tool)?.at(-1);
      decisions.set(tool, [last]);
      decided++;
    },
    decisions: () => decisions,
    get counts() {
      return {
        questions: all().filter(({ isAsked }) => isAsked).length,
        answers: all().filter(({ isAnswered }) => isAnswered).length,
        decisions: decided,
      };
    },
  };
}
