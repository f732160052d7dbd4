const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  times: "×",
  middot: "·",
  bull: "•",
  rarr: "→",
  larr: "←",
  le: "≤",
  ge: "≥",
  ne: "≠",
  deg: "°",
  euro: "€",
  copy: "©",
};

/** Reads a character that is written by its name or number, as models do where they think of HTML. */
export function readEntity(text: string, at: number): { readonly text: string; readonly end: number } | undefined {
  const pattern = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));/iy;
  pattern.lastIndex = at;
  const [all, hex, decimal, name] = pattern.exec(text) ?? [];
  if (all === undefined) return undefined;
  const found = name === undefined ? byNumber(hex ? Number.parseInt(hex, 16) : Number(decimal)) : byName(name);
  return found === undefined ? undefined : { text: found, end: at + all.length };
}

function byName(name: string): string | undefined {
  return Object.hasOwn(named, name) ? named[name] : undefined;
}

function byNumber(code: number): string | undefined {
  const isCharacter = code >= 0x20 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}
