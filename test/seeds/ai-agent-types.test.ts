// Compiles the ai-agent seed's TypeScript samples, and compares its types with the package's.
import { expect, test } from "vitest";
import { sampleOf } from "./ai-agent-samples.ts";
import { compileSamples } from "./compile-samples.ts";

const types = `import type { AiContentPart, AiMessage, AiRequestOptions, AiToolCall, AiToolCallDelta, AiUsage } from "@csbc-dev/ai-agent";`;
const core = `import { AiCore } from "@csbc-dev/ai-agent"; import type { AiRequestOptions } from "@csbc-dev/ai-agent";`;
const serverCore = `${core}\n${sampleOf("Server-side API key")}`;

/** Asserts that the seed's type is assignable to ours. */
const isOurs = (own: string) => `
  import type { ${own} as Ours } from "pagewire/ai";
  export const toOurs = (seed: ${own}): Ours => seed;`;

/** The sources to compile, by file. */
const files: Readonly<Record<string, string>> = {
  "providers.ts": `${types}\n${sampleOf("Providers")}\n${isOurs("IAiProvider")}
    export const toSeeds = (ours: Ours): IAiProvider => ours;`,
  "tool.ts": `${sampleOf("AiTool shape")}\n${isOurs("AiTool")}`,
  "part.ts": `${sampleOf("Part types").replace("type AiContent =", "export type AiContent =")}\n${isOurs("AiContentPart")}
    export const toSeeds = (ours: Exclude<Ours, { readonly type: "file" }>): AiContentPart => ours;`,
  "custom-provider.ts": sampleOf("Custom provider"),
  "core.ts": `export class Seed { ${sampleOf("wc-bindable: AiCore")} }`,
  "element.ts": `import { AiCore } from "@csbc-dev/ai-agent"; export class Seed { ${sampleOf("wc-bindable: ai-agent")} }`,
  "react.tsx": `import type {} from "pagewire/ai-agent/types/react";
    ${sampleOf("React", { "{m.content}": "{m.content as string}" })}
    export { Chat };`,
  "server.ts": sampleOf("Minimal server"),
  "key.ts": `${serverCore}\nexport { ServerAiCore };`,
  "handlers.ts": `${sampleOf("Server-side tool handlers")}
    declare function fetchWeather(location: string): Promise<object>;
    declare function queryVectorStore(query: string, limit: number): Promise<object>;`,
  "per-user.ts": `${serverCore}
    import type { AuthenticatedWSSOptions } from "@wc-bindable/auth0/server";
    declare function deleteAccount(id: string, args: object): Promise<string>;
    type User = { readonly id: string; readonly canDelete: boolean };
    export const options: { createCores(user: User, ws: unknown): unknown } = {
      ${sampleOf("Per-user tool handlers")}
    };
    export type { AuthenticatedWSSOptions };`,
  "hot.ts": `declare const getWeatherHandler: () => string;
    declare global { interface ImportMeta { hot?: { dispose(run: () => void): void } } }
    ${sampleOf("Hot reload")}`,
  "authenticated.ts": `${serverCore}\n${sampleOf("Authenticated deployments")}`,
};

test("the samples in TypeScript compile, and the types that the seed shows are ours", () => {
  expect(compileSamples("seed-types", files)).toEqual(["", 0]);
});
