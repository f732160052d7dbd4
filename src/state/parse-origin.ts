/** No host has characters that would do something in a shell, where origins are written and copied to. */
const form = /^([a-z][a-z0-9+.-]*):\/\/(\[[0-9a-f:.]+\]|[^\s/?#@\\:*%[\]$`'"();&|<>{}!^~]+)(:\d{1,5})?$/i;

/** Schemes whose pages have no origin of this form, though addresses of this form can be written. */
const withoutOrigins = ["file", "ws", "wss", "ftp"];

/** Reads an origin, `scheme://host` or `scheme://host:port`, into the form that browsers send; undefined if it is none. */
export function parseOrigin(text: string): string | undefined {
  const [, scheme = "", host = "", port = ""] = form.exec(text) ?? [];
  if (host === "" || withoutOrigins.includes(scheme.toLowerCase()) || !URL.canParse(text)) return undefined;
  const { origin } = new URL(text);
  // Browsers know origins of other schemes, such as those of extensions; the URL standard gives them none.
  return origin === "null" ? `${scheme}://${host}${port}`.toLowerCase() : origin;
}

/** What is wrong with a text that is no origin, and what was probably meant. */
export function originProblem(text: string): string {
  const start = `${JSON.stringify(text)} is not an origin.`;
  if (text === "null") return `${start} Pages without an origin of their own cannot be allowed: serve them over http.`;
  if (text.includes("*")) return `${start} Wildcards are not possible: allow each origin by itself.`;
  const meant = [text, `http://${text}`].map(originOf).find((origin) => origin !== undefined);
  const example = meant === undefined ? 'Write it like this: "https://shop.example".' : `Did you mean "${meant}"?`;
  return `${start} An origin is a scheme, a host and perhaps a port, without a path. ${example}`;
}

function originOf(text: string): string | undefined {
  return URL.canParse(text) ? parseOrigin(new URL(text).origin) : undefined;
}
