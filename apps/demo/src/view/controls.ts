import { channels, periods, products, regions } from "../data/catalogue.ts";
import type { Filters } from "../data/filters.ts";
import type { Dashboard } from "../state/dashboard.ts";
import { byId, html, show } from "./dom.ts";
import { formatFullDay } from "./format.ts";
import { showSegments } from "./segments.ts";

/** The period switch, the filters, and the line that says what is shown. */
export function mountControls(dashboard: Dashboard): void {
  const period = byId("period", HTMLElement);
  dashboard.watch(["days"], ({ days }) => {
    const choices = periods.map((value) => ({ value, label: `${value} days` }));
    showSegments(period, { choices, chosen: days, choose: (value) => dashboard.setPeriod(value) });
  });

  mountFilters(dashboard);

  const scope = byId("scope", HTMLElement);
  dashboard.watch(["days", "filters"], ({ filters }) => {
    const { from, to } = dashboard.scope().range;
    const parts = [filters.region, filters.product, filters.channel].filter((part) => part !== null);
    show(scope, `${formatFullDay(from)} to ${formatFullDay(to)} · ${parts.join(" · ") || "everything sold"}`);
  });
}

function mountFilters(dashboard: Dashboard): void {
  const form = byId("filters", HTMLFormElement);
  const choices: Readonly<Record<keyof Filters, readonly string[]>> = {
    region: regions,
    product: products,
    channel: channels,
  };
  const clear = html("button", { type: "button", class: "button quiet", onclick: clearAll }, "Clear filters");
  const fields = Object.entries(choices).map(([name, values]) => createFilter(name, values));
  show(form, ...fields.map(({ label }) => label), clear);

  function createFilter(name: string, values: readonly string[]) {
    const options = [["", `Every ${name}`], ...values.map((value) => [value, value] as const)] as const;
    const select = html(
      "select",
      { name, onchange: () => apply(name, select.value) },
      ...options.map(([value, text]) => html("option", { value }, text)),
    );
    const title = html("span", {}, name.charAt(0).toUpperCase() + name.slice(1));
    return { name, select, label: html("label", { class: "field" }, title, select) };
  }

  function apply(name: string, value: string): void {
    const chosen = value === "" ? null : value;
    // The values are the options made above: of this dimension and no other.
    dashboard.setFilters({ [name]: chosen } as Partial<Filters>);
  }

  function clearAll(): void {
    dashboard.setFilters({ region: null, product: null, channel: null });
    fields[0]?.select.focus();
  }

  dashboard.watch(["filters"], ({ filters }) => {
    for (const { name, select, label } of fields) {
      const value = filters[name as keyof Filters];
      select.value = value ?? "";
      label.classList.toggle("active", value !== null);
    }
    clear.hidden = Object.values(filters).every((value) => value === null);
  });
}
