// An agent without a model: it looks at the sales in the demo page, finds the best day, and writes a note about it.
// Start a hub with `npx pagewire`, open its /demo/, and run this with PAGEWIRE_TOKEN=$(npx pagewire token show).
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const { PAGEWIRE_URL = "http://127.0.0.1:7337", PAGEWIRE_TOKEN } = process.env;
if (!PAGEWIRE_TOKEN) {
  console.error("Set PAGEWIRE_TOKEN to the hub's token: PAGEWIRE_TOKEN=$(npx pagewire token show) node agent.mjs");
  process.exit(2);
}

const client = new Client(
  { name: "best-day", title: "Best day", version: "1.0.0" },
  { versionNegotiation: { mode: "auto" } },
);
await client.connect(
  new StreamableHTTPClientTransport(new URL("/mcp", PAGEWIRE_URL), {
    requestInit: { headers: { Authorization: `Bearer ${PAGEWIRE_TOKEN}` } },
  }),
);

const { tools } = await client.listTools();
if (!tools.some(({ name }) => name === "get_sales_data")) {
  console.error(`No open tab has the demo's tools. Open ${PAGEWIRE_URL}/demo/ in a browser, and run this again.`);
  process.exit(1);
}

const { data } = await call("get_sales_data", { days: 30 });
const best = data.reduce((one, other) => (other.revenue > one.revenue ? other : one));
console.log(`The best of the last ${data.length} days was ${best.key}: $${best.revenue} from ${best.orders} orders.`);

await call("add_note", { text: `The best of ${data.length} days.`, date: best.key });
console.log("The page has a note about it.");
await client.close();

/** Calls a tool; one that fails ends the script with what it said. */
async function call(name, input) {
  const result = await client.callTool({ name, arguments: input });
  if (!result.isError) return result.structuredContent;
  throw new Error(result.content.map(({ text = "" }) => text).join("\n"));
}
