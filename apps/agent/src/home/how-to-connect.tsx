// Snippets that connect a page or a client to this hub. None of them has a token.
import type { ComponentChildren } from "preact";
import { icons } from "../../../common/src/icons.ts";
import { isHere } from "../../../common/src/session/is-here.ts";
import { Code } from "../../../common/src/ui/code.tsx";
import { CommandLine } from "../../../common/src/ui/command-line.tsx";
import { Icon } from "../../../common/src/ui/icon.tsx";

const ownHub = "http://127.0.0.1:7337";

export function scriptSnippet(origin: string): string {
  return [`<script`, `  src="${origin}/pagewire.js"`, `  data-app="my-app"`, `></script>`].join("\n");
}

export function importSnippet(origin: string): string {
  return [
    `import { connectPage } from "pagewire/page";`,
    "",
    "const page = await connectPage({",
    `  app: "my-app",`,
    ...(origin === ownHub ? [] : [`  hub: "${origin}",`]),
    "});",
    "page.registerTool({",
    `  name: "get_title",`,
    `  description: "The page's title.",`,
    "  execute: () => document.title,",
    "});",
  ].join("\n");
}

export interface HowToConnectProps {
  readonly origin: string;
  readonly hasTerminals: boolean;
}

/** How to connect a page, a client and a terminal. */
export function HowToConnect({ origin, hasTerminals }: HowToConnectProps) {
  return (
    <>
      <Fold title="Connect a page">
        <p class="hint">With a script tag:</p>
        <Code label="Script tag" language="xml" text={scriptSnippet(origin)} />
        <p class="hint">Or with a bundler, after npm install pagewire:</p>
        <Code label="Module" language="typescript" text={importSnippet(origin)} />
        <p class="hint">Allow each origin of your pages once:</p>
        <CommandLine text="npx pagewire allow http://localhost:3000" />
      </Fold>
      <Fold title="Connect a client">
        <p class="hint">Any MCP client can call the tools of your pages. The console says how:</p>
        <p>
          <a class="button" href="/console#/connect">
            Connect a client
          </a>
        </p>
      </Fold>
      {(hasTerminals || isHere(origin)) && (
        <Fold title="Open a terminal">
          <p class="hint">
            A shell of the hub's machine in a tab. Programs in it use the pages of that tab. The command signs in:
          </p>
          <CommandLine text="npx pagewire terminal" />
          {hasTerminals && (
            <p>
              <a class="button" href="/terminal" target="_blank" rel="noopener">
                <Icon path={icons.out} />
                Terminals
              </a>
            </p>
          )}
        </Fold>
      )}
    </>
  );
}

function Fold({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <details class="how" open>
      <summary>
        <h3>{title}</h3>
      </summary>
      <div class="stack">{children}</div>
    </details>
  );
}
