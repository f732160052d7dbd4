/** Answers to the hub's calls, kept in case that the hub did not get them and asks again. */
export interface KeptAnswers {
  get(id: string): string | undefined;
  add(id: string, answer: string): void;
}

const mostAnswers = 200;
const mostCharacters = 64_000_000;

/** The oldest make room; the page that answered may still know those. */
export function createKeptAnswers(): KeptAnswers {
  const answers = new Map<string, string>();
  let characters = 0;
  return {
    get: (id) => answers.get(id),
    add(id, answer) {
      answers.set(id, answer);
      characters += answer.length;
      for (const [oldest, text] of answers) {
        if (answers.size <= mostAnswers && characters <= mostCharacters) break;
        answers.delete(oldest);
        characters -= text.length;
      }
    },
  };
}
