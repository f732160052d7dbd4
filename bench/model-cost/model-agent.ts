// The model's side of an MCP client: the text that it reads and writes, and its cost.
import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { nothing, sumOf } from "./cost.ts";
import type { Cost } from "./cost.ts";

export interface ModelAgent {
  readonly name: string;
  /** Tokens of the tools as a model is given them. */
  listTokens(): Promise<number>;
  /** Tokens of the server's instructions, which a model is given beside them. */
  readonly instructionTokens: number;
  /** Tokens of the whole answer to tools/list. */
  wireTokens(): Promise<number>;
  /** Calls a tool; returns the text that the model reads. */
  call(tool: string, given: Readonly<Record<string, unknown>>): Promise<string>;
  /** Does something and returns what the calls in it cost, one by one and together. */
  costOf(act: () => Promise<void>): Promise<Cost>;
  close(): Promise<void>;
}

export function createModelAgent(name: string, client: Client, close = () => client.close()): ModelAgent {
  let cost = nothing;
  return {
    name,
    instructionTokens: countTokens(client.getInstructions() ?? ""),
    async listTokens() {
      const { tools } = await client.listTools();
      const given = tools.map((tool) => ({
        name: tool.name,
        description: tool.description,
        input_schema: tool.inputSchema,
      }));
      return countTokens(JSON.stringify(given));
    },
    async wireTokens() {
      return countTokens(JSON.stringify((await client.listTools()).tools));
    },
    async call(tool, given) {
      const startedAt = performance.now();
      const result = await client.callTool({ name: tool, arguments: given });
      const milliseconds = performance.now() - startedAt;
      const text = textOf(result);
      cost = sumOf([
        cost,
        {
          calls: 1,
          read: countTokens(text),
          written: countTokens(tool) + countTokens(JSON.stringify(given)),
          milliseconds,
        },
      ]);
      if (result.isError) throw new Error(`${name} could not call ${tool}: ${text.slice(0, 500)}`);
      return text;
    },
    async costOf(act) {
      cost = nothing;
      await act();
      return cost;
    },
    close,
  };
}

function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}
