// The hub's plain pages for people who could not sign in. They need no script, and show words of the hub and its owner only.
import type { ServerResponse } from "node:http";
import { alwaysHeaders } from "../../http/exchange.ts";

export interface PlainPage {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly links: readonly { readonly text: string; readonly to: string }[];
  readonly headers?: Readonly<Record<string, string>>;
}

const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function respondPage(response: ServerResponse, { status, title, text, links, headers }: PlainPage): void {
  const list = links.map((link) => `<p><a href="${escape(link.to)}">${escape(link.text)}</a></p>`).join("\n");
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
<h1>${escape(title)}</h1>
<p>${escape(text)}</p>
${list}
</html>
`;
  response.writeHead(status, {
    ...{ ...alwaysHeaders, ...headers, "Content-Security-Policy": policy },
    ...{ "Content-Type": "text/html; charset=utf-8", "Content-Length": Buffer.byteLength(html) },
  });
  response.end(html);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (each) => entities[each] ?? "");
}
