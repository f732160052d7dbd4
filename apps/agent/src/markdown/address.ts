// Which addresses a text may link to, and which links show the host that they lead to.

/** The address as browsers write it; undefined unless it is an absolute one of http, https or mailto without credentials. */
export function parseAddress(text: string): string | undefined {
  if (!/^(https?:\/\/|mailto:)/i.test(text) || !URL.canParse(text)) return undefined;
  const { href, protocol, username, password } = new URL(text);
  if (!["http:", "https:", "mailto:"].includes(protocol) || username !== "" || password !== "") return undefined;
  return href;
}

/** The host or mailbox that a link leads to, where its text could be taken for another one. */
export function misleadingPlace(href: string, text: string): string | undefined {
  const { protocol, host, pathname } = new URL(href);
  const place = protocol === "mailto:" ? pathname : host;
  return namesAnotherPlace(text, place) ? place : undefined;
}

function namesAnotherPlace(text: string, place: string): boolean {
  // Invisible characters and marks of direction can make a text look like any other.
  if (/[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/.test(text)) return true;
  const words = text
    .normalize("NFKC")
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}.:/@_-]+/u);
  return words.some((word) => {
    const named = word.replace(/^[a-z]{1,20}:\/*/, "").split("/")[0] ?? "";
    return /[^.]\.[^.]/.test(named) && !isSamePlace(named, place);
  });
}

/** Browsers write hosts in punycode, so that a host in letters of another alphabet differs. */
function isSamePlace(named: string, place: string): boolean {
  const bare = (host: string): string => host.replace(/^www\./, "").replace(/[.:-]+$/, "");
  return bare(named) === bare(place.toLowerCase());
}
