import MarkdownIt from "markdown-it";
import type { Token } from "markdown-it";

// Names in a link's definition, HTML and code by indentation are rarely meant by a model, and would hide or change words.
const parser = new MarkdownIt({ html: false, linkify: true })
  .disable(["code", "lheading", "reference", "html_block", "html_inline"])
  .use(({ linkify, inline }) => {
    linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
    inline.ruler.before("autolink", "br", (state, isSilent) => {
      const [tag] = /^<br *\/?>/i.exec(state.src.slice(state.pos, state.pos + 8)) ?? [];
      if (tag === undefined) return false;
      if (!isSilent) state.push("hardbreak", "br", 0);
      state.pos += tag.length;
      return true;
    });
  });

// The renderer alone decides which addresses become links, and shows all others as their text.
parser.validateLink = () => true;
parser.normalizeLink = (url) => url;
parser.normalizeLinkText = (text) => text;

/** The tokens of each block of a text, and the line at which it begins. */
export interface Block {
  readonly line: number;
  readonly tokens: readonly Token[];
}

export function parseMarkdown(text: string): readonly Block[] {
  const blocks: { line: number; tokens: Token[] }[] = [];
  for (const token of parser.parse(text, {})) {
    if (token.level === 0 && token.nesting >= 0) blocks.push({ line: token.map?.[0] ?? 0, tokens: [token] });
    else blocks.at(-1)?.tokens.push(token);
  }
  return blocks;
}

/** The tokens of a text inside a block. */
export function parseInline(text: string): Token[] {
  return parser.parseInline(text, {})[0]?.children ?? [];
}
