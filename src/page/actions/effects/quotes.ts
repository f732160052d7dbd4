/** What he says. */
export const quotes = [
  "Slack is not given. It is committed, and then force-pushed.",
  "Whoever names the variable “temp” shall know permanence.",
  "The test that never failed has never looked.",
  "Ask not who broke the build. Ask who was resting when it broke.",
  "There are two hard things. I have hidden both of them from you.",
  "A cache is a memory that is too proud to ask.",
  "The bug that you seek is smiling. It is smiling at you.",
  "Rest is a feature. Ship it first.",
  "Every deadline was once a pipe dream. I kept the pipe.",
  "You do not need more hours. You need better excuses.",
  "In the beginning was the prompt, and the prompt had no schema.",
  "He who greps shall find. He who finds shall wish he had not grepped.",
] as const;

/** One of them. */
export function chooseQuote(random: () => number = Math.random): string {
  return quotes[Math.floor(random() * quotes.length)] ?? quotes[0];
}
