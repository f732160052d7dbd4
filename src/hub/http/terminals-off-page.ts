import type { IncomingMessage, ServerResponse } from "node:http";
import { respondFile } from "./file-answers.ts";

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Terminals are off</title>
  </head>
  <body>
    <main>
      <h1>Terminals are off</h1>
      <p>A terminal is a shell of whoever runs this hub, and there is none until it is asked for.</p>
      <p>Stop the hub, and start it with: <code>npx pagewire hub --terminal</code></p>
      <p>Then open a terminal with: <code>npx pagewire terminal</code></p>
    </main>
  </body>
</html>
`;

/** Says, in the place of the page with a terminal, that there are none and what to do. */
export function respondTerminalsOff(request: IncomingMessage, response: ServerResponse): void {
  const headers = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
  };
  respondFile(request, response, { path: "off.html", body: Buffer.from(page), headers, status: 503 });
}
