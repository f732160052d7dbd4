/// <reference types="highlight.js" />

/** A part of a text, with the class of its colour. */
export interface Piece {
  readonly text: string;
  readonly kind?: string;
}

const languages = {
  bash: () => import("highlight.js/lib/languages/bash"),
  css: () => import("highlight.js/lib/languages/css"),
  diff: () => import("highlight.js/lib/languages/diff"),
  json: () => import("highlight.js/lib/languages/json"),
  python: () => import("highlight.js/lib/languages/python"),
  sql: () => import("highlight.js/lib/languages/sql"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
} as const;

export type Language = keyof typeof languages;

const aliases = new Map<string, Language>(
  Object.entries({
    sh: "bash",
    shell: "bash",
    console: "bash",
    js: "typescript",
    jsx: "typescript",
    javascript: "typescript",
    ts: "typescript",
    tsx: "typescript",
    html: "xml",
    svg: "xml",
    py: "python",
    yml: "yaml",
  }),
);

/** Longer texts are shown without colours: a page must not stand still for them. */
const maxLength = 100_000;

/** The language that has this name in a code fence. */
export function languageNamed(name: string): Language | undefined {
  const known = name.toLowerCase();
  return Object.hasOwn(languages, known) ? (known as Language) : aliases.get(known);
}

/** Cuts a text into coloured pieces; what does that is loaded with the first text of its language. */
export async function highlight(text: string, language: Language): Promise<readonly Piece[]> {
  if (text.length > maxLength) return [{ text }];
  const [{ default: core }, { default: grammar }] = await Promise.all([
    import("highlight.js/lib/core"),
    languages[language](),
  ]);
  if (!core.getLanguage(language)) core.registerLanguage(language, grammar);
  const { value } = core.highlight(text, { language, ignoreIllegals: true });
  return [...piecesOf(value)];
}

/** The same by the name that a code fence has; undefined for a language without colours. */
export async function highlightNamed(text: string, name: string): Promise<readonly Piece[] | undefined> {
  const language = languageNamed(name);
  return language && (await highlight(text, language));
}

const marks: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

/** Its markup has spans with a class and escaped text, and nothing else. It never becomes a part of the page. */
function* piecesOf(markup: string): Generator<Piece> {
  const kinds: string[] = [];
  for (const part of markup.split(/(<[^>]*>)/)) {
    const opening = /^<span class="([^"]*)">$/.exec(part);
    if (opening) kinds.push(opening[1] ?? "");
    else if (part === "</span>") kinds.pop();
    else if (part !== "") {
      const text = part.replaceAll(/&(#?\w+);/g, (whole, name: string) => marks[name] ?? whole);
      const kind = kinds.at(-1);
      yield kind === undefined ? { text } : { text, kind };
    }
  }
}
