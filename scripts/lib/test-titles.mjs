const calls = /(?<![.\w$])(?:test|it|describe)((?:\.\w+)*)(?:<[^()]*(?:\(\)[^()]*)?>)?\(\s*/g;
const literal = /(["'`])((?:\\.|(?!\1)[^\\])*)\1/sy;

/**
 * The title of every `test(...)`, `it(...)` and `describe(...)` in a source text, with its line; `test.each(...)(...)` and
 * its kin included. A title that is not written as a literal is given as its code.
 */
export function testTitles(source) {
  return [...source.matchAll(calls)]
    .filter(([, modifiers]) => !/\.(extend|describe)\b/.test(modifiers))
    .map((match) => {
      const afterCall = match.index + match[0].length;
      literal.lastIndex = /\.(each|for|skipIf|runIf)$/.test(match[1]) ? secondCall(source, afterCall) : afterCall;
      const title = literal.exec(source)?.[2] ?? source.slice(afterCall).split("\n")[0];
      return { title, line: source.slice(0, match.index).split("\n").length };
    });
}

/** `test.each(cases)` returns the function that is given the title. */
function secondCall(source, from) {
  const opening = /\)\(\s*(?=["'`])/g;
  opening.lastIndex = from;
  return opening.exec(source) ? opening.lastIndex : source.length;
}
