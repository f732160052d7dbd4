import type { Order } from "./catalogue.ts";

const header = "order,date,customer,product,region,channel,quantity,total_usd";

/** Orders as CSV (RFC 4180) with a header line. */
export function ordersToCsv(orders: readonly Order[]): string {
  const lines = orders.map(({ id, date, customer, product, region, channel, quantity, cents }) =>
    [id, date, customer, product, region, channel, String(quantity), (cents / 100).toFixed(2)].map(quote).join(","),
  );
  return `${[header, ...lines].join("\r\n")}\r\n`;
}

function quote(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
