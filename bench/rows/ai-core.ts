import { holdReading, metric } from "../harness/hold-reading.ts";
import type { Row, RowFamily } from "../harness/row.ts";
import type { AnswerFormat } from "../streams/answer.ts";

const row = "ai-core";
const mostOverFloor = 2;

const names: Record<AnswerFormat, readonly string[]> = {
  openai: ["floor", "pagewire", "openai SDK", "ai SDK"],
  anthropic: ["floor", "pagewire"],
  google: ["floor", "pagewire"],
};

const about = `A whole answer of 10,000 tokens, one event for each token, from the request to the text. A fetch in memory
answers, each event a chunk of the response's body, so that no network is in the figures; and the answer comes as fast as
it is read, so that of what is done once a frame there is little. Each contestant is a process.

- **floor**: the same fetch, the same body; split at line ends, JSON.parse, add the text up.
- **pagewire**: \`AiCore\` with its provider for this API. **openai SDK**: \`chat.completions.create\`, streamed.
  **ai SDK**: the \`textStream\` of \`streamText\` with \`@ai-sdk/openai\`.`;

/** Whole answers through AiCore. */
export const aiCore: RowFamily = {
  row,
  title: "AiCore",
  about,
  async measure(bench) {
    const rows: Row[] = [];
    for (const format of ["openai", "anthropic", "google"] as const) {
      const options = { row, size: format, bars: { [metric]: mostOverFloor }, bench };
      rows.push(...(await holdReading(names[format], { kind: "client", format }, options)));
    }
    return rows;
  },
};
