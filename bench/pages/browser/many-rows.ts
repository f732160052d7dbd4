// A page as offices have many: a table of 2,000 invoices, and above it what is done to those that it shows.
import type { Page } from "pagewire/page";

interface Invoice {
  readonly id: string;
  readonly customer: string;
  readonly status: "paid" | "open";
  readonly total: string;
}

const customers = ["Vermeer Bikes", "Northwind Tea", "Casa Lumen", "Harbour Paper", "Ostrava Glass", "Blue Fjord"];

/** Of every fifteen invoices two are open. */
const all: readonly Invoice[] = Array.from({ length: 2000 }, (_, index) => ({
  id: `INV-${10_000 + index}`,
  customer: customers[index % customers.length] ?? "",
  status: index % 15 < 2 ? "open" : "paid",
  total: `$${(((index * 7919) % 90_000) / 100 + 12).toFixed(2)}`,
}));

addEventListener("DOMContentLoaded", () => {
  let invoices = all;

  document.body.innerHTML = `<main>
  <h1>Invoices</h1>
  <div class="tools">
    <label>Status <select name="status">
      <option value="">Any status</option><option value="paid">Paid</option><option value="open">Open</option>
    </select></label>
    <button type="button">Archive all shown</button>
    <p role="status">${invoices.length} invoices</p>
  </div>
  <table><thead><tr><th>Invoice</th><th>Customer</th><th>Status</th><th>Total</th></tr></thead><tbody></tbody></table>
</main>`;

  const status = document.querySelector("select") as HTMLSelectElement;
  const told = document.querySelector("[role=status]") as HTMLElement;
  const body = document.querySelector("tbody") as HTMLElement;

  function shown(): readonly Invoice[] {
    return invoices.filter((invoice) => status.value === "" || invoice.status === status.value);
  }

  function show(): void {
    body.innerHTML = shown()
      .map(
        ({ id, customer, status: state, total }) =>
          `<tr><td>${id}</td><td>${customer}</td><td>${state === "paid" ? "Paid" : "Open"}</td><td>${total}</td></tr>`,
      )
      .join("");
  }

  /** Returns how many it took away. */
  function archive(which: string): number {
    status.value = which;
    const gone = new Set(shown());
    invoices = invoices.filter((invoice) => !gone.has(invoice));
    show();
    told.textContent = `${gone.size} archived`;
    return gone.size;
  }

  status.onchange = show;
  (document.querySelector("button") as HTMLButtonElement).onclick = () => archive(status.value);
  show();

  /** Puts the page back to its beginning. */
  function restore(): void {
    invoices = all;
    status.value = "";
    show();
  }

  Object.assign(window, { restore });

  const { pagewire } = window as unknown as { readonly pagewire?: Page };
  pagewire?.registerTool({
    name: "archive_invoices",
    description: "Archives all invoices of a status. Returns how many.",
    inputSchema: {
      type: "object",
      properties: { status: { enum: ["paid", "open"] } },
      required: ["status"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    execute: ({ status: which }) => `${archive(String(which))} archived`,
  });
});
