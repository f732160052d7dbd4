/** A tool's result as text. Throws if there is none, as for a Symbol or a circular object. */
export function resultText(answer: unknown): string {
  const isObject = (typeof answer === "object" && answer !== null) || typeof answer === "function";
  // Not String(), which also accepts Symbols.
  return `${isObject ? JSON.stringify(answer) : (answer as string)}`;
}
