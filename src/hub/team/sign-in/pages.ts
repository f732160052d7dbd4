// The hub's plain pages for people who could not sign in. They need no script, and show words of the hub and its owner only.
import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { alwaysHeaders } from "../../http/exchange.ts";

export interface PlainPage {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly links: readonly { readonly text: string; readonly to: string }[];
  readonly headers?: Readonly<Record<string, string>>;
}

const style =
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem}h1{font-size:1.5rem}";
const styleHash = createHash("sha256").update(style).digest("base64");
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export function respondPage(response: ServerResponse, { status, title, text, links, headers }: PlainPage): void {
  const list = links.map((link) => `<p><a href="${escape(link.to)}">${escape(link.text)}</a></p>`).join("\n");
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
<style>${style}</style>
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
