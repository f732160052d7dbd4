// The page that agents use here. It reports each run and each abort to its own server, so that a closed tab still counts.

/** The page's HTML. `hub` is the address of its script. */
export function warehousePage(hub: string, app: string): string {
  return `<!doctype html><title>Warehouse</title>
<script src="${hub}/pagewire.js" data-app="${app}"></script>
<script>${toolsOfTheWarehouse}</script>`;
}

const toolsOfTheWarehouse = `
const report = (what, name) => fetch("/" + what + "?" + name, { keepalive: true });
const shelves = { A: [{ sku: "A-1", name: "Crème brûlée ☕", left: 3 }, { sku: "A-2", name: "Nuts", left: 12 }], B: [] };
const object = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required, additionalProperties: false });
const tool = (name, description, inputSchema, execute, more = {}) =>
  pagewire.registerTool({ name, description, inputSchema, ...more, execute: async (input, context) => {
    context.signal.addEventListener("abort", () => report("aborted", name));
    await report("ran", name);
    globalThis.runs = (globalThis.runs ?? 0) + 1;
    const result = await execute(input, context);
    await report("ended", name);
    return result;
  } });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

tool("get_stock", "Lists what is on a shelf.", object({ shelf: { type: "string", enum: ["A", "B"] } }),
  ({ shelf }) => ({ shelf, items: shelves[shelf] }), { annotations: { readOnlyHint: true } });
tool("reserve", "Reserves one piece.", object({ sku: { type: "string" } }), ({ sku }) => {
  if (!Object.values(shelves).flat().some((item) => item.sku === sku)) throw new Error("There is no " + sku + ". There are A-1 and A-2.");
  return "Reserved one " + sku + ".";
});
tool("unlock", "Opens the cellar, which adds its tools.", object({}), () => {
  tool("open_safe", "Opens the safe in the cellar.", object({}), () => "The safe has 7 coins.");
  return "The cellar is open.";
});
tool("count_all", "Counts everything, which takes this many seconds.", object({ seconds: { type: "number" } }),
  async ({ seconds }, { progress }) => {
    for (let second = 1; second <= seconds; second++) {
      await pause(1000);
      progress(second, seconds, "second " + second);
    }
    return "Counted 4711 pieces.";
  });
tool("dry_paint", "Waits this many seconds without a word.", object({ seconds: { type: "number" } }), async ({ seconds }) => {
  await pause(seconds * 1000);
  return "The paint is dry.";
});
tool("wait_for_delivery", "Waits until a delivery arrives.", object({}), () => new Promise(() => {}));
tool("order_more", "Orders more of a piece, and asks the user how many.", object({ sku: { type: "string" } }), async ({ sku }, { ask }) => {
  const pieces = { type: "integer", title: "Pieces", minimum: 1 };
  const answer = await ask({
    message: "How many " + sku + " shall come?",
    requestedSchema: { type: "object", properties: { pieces }, required: ["pieces"] },
  });
  return answer.action === "accept" ? "Ordered " + answer.content.pieces + " of " + sku + "." : "Ordered nothing.";
});
tool("clear_shelf", "Throws away what is on a shelf.", object({ shelf: { type: "string" } }),
  ({ shelf }) => "Shelf " + shelf + " is empty.", { annotations: { destructiveHint: true } });
const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
tool("take_picture", "A picture of the shelves.", object({}), () => ({ content: [
  { type: "text", text: "The shelves from the door." },
  { type: "image", mimeType: "image/png", data: picture },
] }));

let plan = "Gate 4.";
const photo = { mimeType: "image/png", blob: picture };
function offerResources() {
  pagewire.registerResource({ uri: "warehouse://plan", name: "plan", description: "The plan.", mimeType: "text/plain",
    read: async () => { await report("ran", "plan"); return plan; } });
  pagewire.registerResource({ uri: "warehouse://photo", name: "photo", mimeType: "image/png", read: () => photo });
  pagewire.registerResourceTemplate({ uriTemplate: "warehouse://shelves/{shelf}", name: "shelf",
    read: (uri, { shelf }) => "Shelf " + shelf + " has 15 pieces." });
  pagewire.registerPrompt({ name: "stocktaking", description: "Counts a shelf.", arguments: [{ name: "shelf", required: true }],
    get: ({ shelf }) => "Count shelf " + shelf + " twice." });
  tool("show_plan", "Shows the plan.", object({}), () => ({ content: [
    { type: "text", text: "Here it is." },
    { type: "resource", resource: { uri: "warehouse://inside", mimeType: "text/plain", text: "Gate 7." } },
    { type: "resource", resource: { uri: "warehouse://photo", ...photo } },
    { type: "resource_link", uri: "warehouse://plan", name: "plan" },
  ] }));
}
`;
