/** What the rehearsal model calls itself on every wire. */
export const rehearsalModel = "pagewire-rehearsal";

/** The end of every text that it writes. */
export const aboutRehearsal =
  "I am Pagewire's built-in rehearsal model, not a language model: I only match words with tools. For a real one, start the hub with a key such as OPENAI_API_KEY or ANTHROPIC_API_KEY, or with --model.";
