/** What a tool's answer is as text. Throws where there is none, as of a Symbol or what contains itself. */
export function resultText(answer: unknown): string {
  const isObject = (typeof answer === "object" && answer !== null) || typeof answer === "function";
  // Not String(), which also takes Symbols.
  return `${isObject ? JSON.stringify(answer) : (answer as string)}`;
}
