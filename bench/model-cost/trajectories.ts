// The calls that a model makes for each task, written down: once with the page's own tools, once by finding things in a
// snapshot, and once by JavaScript, each as short as a model can be that has not seen the page before. What a model
// reads must hold the answer, or the bench ends.
import type { ModelAgent } from "./model-agent.ts";

export const tasks = [
  "1 revenue by product",
  "2 only Europe",
  "3 point at the revenue",
  "4 add a note",
  "5 the latest orders",
  "6 archive 1,732 of 2,000 rows",
] as const;

export type Task = (typeof tasks)[number];

/** Tasks on the demo; the last one is on the page of many rows. */
export const demoTasks = tasks.slice(0, 5);

/** Values that the answers must contain, as the page shows them. */
export interface Answers {
  readonly product: string;
  readonly productRevenue: string;
  readonly europeRevenue: string;
  readonly firstOrder: string;
  readonly lastOrder: string;
}

export type Trajectories = Readonly<Record<Task, (agent: ModelAgent, answers: Answers) => Promise<void>>>;

const note = "Gift Box fell by half: check stock.";
const archived = "1732 archived";

function demand(text: string, ...wanted: readonly string[]): void {
  const missing = wanted.filter((part) => !text.includes(part));
  if (missing.length > 0) throw new Error(`An answer lacks ${missing.join(", ")}: ${text.slice(0, 1000)}`);
}

interface Sales {
  readonly data: readonly { readonly key: string; readonly revenue: number }[];
}
interface Overview {
  readonly totalRevenue: number;
}
interface Orders {
  readonly orders: readonly { readonly id: string }[];
}

const calls = {
  products: ["get_sales_data", { days: 30, groupBy: "product" }],
  europe: ["filter_sales", { region: "Europe" }],
  orders: ["search_orders", {}],
} as const;

/** Asks the page's own tools, and puts their answers as the page shows them. */
export async function findAnswers(agent: ModelAgent): Promise<Answers> {
  const { data } = JSON.parse(await agent.call(...calls.products)) as Sales;
  const { totalRevenue } = JSON.parse(await agent.call(...calls.europe)) as Overview;
  await agent.call("filter_sales", { region: null });
  const { orders } = JSON.parse(await agent.call(...calls.orders)) as Orders;
  const [best] = data.toSorted((one, other) => other.revenue - one.revenue);
  return {
    product: best?.key ?? "",
    productRevenue: inDollars(best?.revenue ?? NaN),
    europeRevenue: inDollars(totalRevenue),
    firstOrder: orders.at(0)?.id ?? "",
    lastOrder: orders.at(-1)?.id ?? "",
  };
}

function inDollars(amount: number): string {
  return `$${Math.round(amount).toLocaleString("en-US")}`;
}

export const byOwnTools: Trajectories = {
  async "1 revenue by product"(agent, { product }) {
    demand(await agent.call(...calls.products), product);
  },
  async "2 only Europe"(agent) {
    demand(await agent.call(...calls.europe), "Europe", "totalRevenue");
  },
  async "3 point at the revenue"(agent) {
    demand(await agent.call("highlight", { target: "revenue" }), "revenue");
  },
  async "4 add a note"(agent) {
    demand(await agent.call("add_note", { text: note }), "notes");
  },
  async "5 the latest orders"(agent, { firstOrder, lastOrder }) {
    demand(await agent.call(...calls.orders), firstOrder, lastOrder);
  },
  async "6 archive 1,732 of 2,000 rows"(agent) {
    demand(await agent.call("archive_invoices", { status: "paid" }), archived);
  },
};

/** Parts of the accessibility tree, by text or by reference, as @playwright/mcp has them. */
export const byFinding: Trajectories = {
  async "1 revenue by product"(agent, { product, productRevenue }) {
    const found = await agent.call("browser_find", { text: "Where it comes from" });
    const target = referenceOf(found, /region .*\[ref=(\w+)\]:\s+- generic .*\s+- heading "Where/);
    demand(await agent.call("browser_snapshot", { target }), product, productRevenue);
  },
  async "2 only Europe"(agent, { europeRevenue }) {
    const found = await agent.call("browser_find", { text: "Every region" });
    const target = referenceOf(found, /combobox "Region" \[ref=(\w+)\]/);
    await agent.call("browser_select_option", { target, values: ["Europe"] });
    demand(await agent.call("browser_find", { regex: 'heading "Revenue" ' }), europeRevenue);
  },
  async "3 point at the revenue"(agent) {
    const found = await agent.call("browser_find", { regex: 'heading "Revenue" ' });
    const target = referenceOf(found, /listitem \[ref=(\w+)\]/);
    const outline = '(e) => (e.style.outline = "3px solid red")';
    demand(await agent.call("browser_evaluate", { target, function: outline }), "red");
  },
  async "4 add a note"(agent) {
    const found = await agent.call("browser_find", { regex: 'textbox "Note"' });
    const target = referenceOf(found, /textbox "Note" \[ref=(\w+)\]/);
    await agent.call("browser_type", { target, text: note, submit: true });
    demand(await agent.call("browser_find", { text: note }), note);
  },
  async "5 the latest orders"(agent, { firstOrder, lastOrder }) {
    const found = await agent.call("browser_find", { regex: "- table" });
    const target = referenceOf(found, /table \[ref=(\w+)\]/);
    demand(await agent.call("browser_snapshot", { target }), firstOrder, lastOrder);
  },
  async "6 archive 1,732 of 2,000 rows"(agent) {
    const found = await agent.call("browser_find", { text: "Archive" });
    const select = referenceOf(found, /combobox "Status" \[ref=(\w+)\]/);
    const button = referenceOf(found, /button "Archive all shown" \[ref=(\w+)\]/);
    await agent.call("browser_select_option", { target: select, values: ["Paid"] });
    await agent.call("browser_click", { target: button });
    demand(await agent.call("browser_find", { text: "archived" }), archived);
  },
};

function referenceOf(text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`No reference in: ${text.slice(0, 1500)}`);
  return found;
}

/** How a server runs JavaScript in the page: statements, and then the value that is returned. */
export type RunScript = (agent: ModelAgent, value: string, statements?: string) => Promise<string>;

const wholeText = 'document.querySelector("main").innerText';
const changed = 'dispatchEvent(new Event("change",{bubbles:true}))';

/** For scripts that can read and do everything. */
export function byScript(run: RunScript): Trajectories {
  return {
    async "1 revenue by product"(agent, { product, productRevenue }) {
      demand(await run(agent, wholeText), product, productRevenue);
    },
    async "2 only Europe"(agent, { europeRevenue }) {
      demand(await run(agent, 'document.querySelector("form").outerHTML'), "Europe");
      const select = `const s=document.querySelector("select[name=region]");s.value="Europe";s.${changed}`;
      demand(
        await run(agent, "document.querySelector(\"[aria-label='Key figures']\").innerText", select),
        europeRevenue,
      );
    },
    async "3 point at the revenue"(agent) {
      const headings =
        '[...document.querySelectorAll("h2")].map(h=>h.parentElement.className+": "+h.innerText).join("\\n")';
      demand(await run(agent, headings), "tile: Revenue");
      const outline = 'document.querySelector(".tile").style.outline="3px solid red"';
      demand(await run(agent, outline), "red");
    },
    async "4 add a note"(agent) {
      const form = '[...document.forms].find(f=>f.innerText.includes("Add note")).parentElement.outerHTML';
      demand(await run(agent, form), "note-form");
      const write = `const f=document.querySelector("#note-form");f.text.value=${JSON.stringify(note)};f.requestSubmit()`;
      demand(await run(agent, 'document.querySelector("#notes").innerText', write), note);
    },
    async "5 the latest orders"(agent, { firstOrder, lastOrder }) {
      demand(await run(agent, wholeText), firstOrder, lastOrder);
    },
    async "6 archive 1,732 of 2,000 rows"(agent) {
      demand(await run(agent, 'document.querySelector("main").innerHTML.slice(0,600)'), "Archive all shown");
      const archive = `const s=document.querySelector("select");s.value="paid";s.${changed};document.querySelector("button").click()`;
      demand(await run(agent, 'document.querySelector("[role=status]").innerText', archive), archived);
    },
  };
}
