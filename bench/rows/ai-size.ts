import { join } from "node:path";
import { gzippedBundle } from "../harness/gzipped-bundle.ts";
import { gzippedFiles } from "../harness/gzipped-files.ts";
import type { Row, RowFamily } from "../harness/row.ts";

const row = "ai-size";
const mostCore = 6.5 * 1024;
const mostElement = 18 * 1024;

const about = `What an app loads, bundled by esbuild into one file for each row, minified and gzipped. What Pagewire itself loads on
demand (a provider by its name, the remote side, tools, retries, structured output) counts only where a row names it. The
peers are bundled in the same way, each with what one streamed answer from OpenAI needs: \`new OpenAI().chat.completions\`,
and \`streamText\` with \`createOpenAI\`. The script tag's row is of the files that the hub serves: the element, and all that
it imports before anything is asked.`;

interface Part {
  readonly name: string;
  /** The app's code. */
  readonly module: string;
  readonly bar?: number;
  readonly peers?: Readonly<Record<string, string>>;
}

const providers = ["OpenAiProvider", "AnthropicProvider", "GoogleProvider", "AzureOpenAiProvider"] as const;
const providersOnly = [...providers, "OpenAiResponsesProvider"] as const;

const parts: readonly Part[] = [
  { name: "AiCore", module: `export { AiCore } from "pagewire/ai";` },
  ...providers.map((provider) => ({
    name: `AiCore with ${provider}`,
    module: `export { AiCore, ${provider} } from "pagewire/ai";`,
    bar: mostCore,
    ...(provider === "OpenAiProvider" && {
      peers: {
        "openai SDK": `import OpenAI from "openai"; export const create = () => new OpenAI().chat.completions;`,
        "ai SDK": `export { streamText } from "ai"; export { createOpenAI } from "@ai-sdk/openai";`,
      },
    }),
  })),
  ...providersOnly.map((provider) => ({
    name: `${provider} alone`,
    module: `export { ${provider} } from "pagewire/ai";`,
  })),
  { name: "ai-agent element", module: `import "pagewire/ai-agent/auto";` },
  {
    name: "ai-agent element, four providers, local and remote",
    module: `import "pagewire/ai-agent/auto";
      export { ${providers.join(", ")} } from "pagewire/ai";
      export { RemoteAgent } from "../dist/element/remote-agent.js";`,
    bar: mostElement,
  },
  { name: "bind", module: `export { bind } from "pagewire/bindable";` },
  {
    name: "remote core, stock client",
    module: `export { createRemoteCoreProxy, WebSocketClientTransport } from "pagewire/bindable/remote";`,
  },
  {
    name: "remote core, with return after a cut",
    module: `export { connectRemoteCore } from "pagewire/bindable/remote";`,
  },
];

/** The bytes of a model's client. */
export const aiSize: RowFamily = {
  row,
  title: "Size of AiCore and the ai-agent element",
  about,
  async measure({ root }) {
    const folder = join(root, "bench");
    const rows: Row[] = [];
    for (const { name, module, bar, peers = {} } of parts) {
      const sizes: Record<string, number> = {};
      for (const [peer, itsModule] of Object.entries(peers)) sizes[peer] = await gzippedBundle(itsModule, folder);
      rows.push(rowOf({ name, bytes: await gzippedBundle(module, folder), bar, peers: sizes }));
    }
    rows.push(
      rowOf({ name: "script tag, at once", bytes: await gzippedFiles(join(root, "dist/browser/ai-agent.js")) }),
    );
    return rows;
  },
};

interface Measured {
  readonly name: string;
  readonly bytes: number;
  readonly bar?: number | undefined;
  readonly peers?: Readonly<Record<string, number>>;
}

function rowOf({ name, bytes, bar, peers = {} }: Measured): Row {
  const met = bar === undefined ? null : bytes <= bar;
  return {
    row,
    size: name,
    metric: "gzip bytes",
    pagewire: bytes,
    floor: null,
    peers,
    ratio: null,
    bar: bar ?? null,
    met,
  };
}
