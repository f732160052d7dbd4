import type { Dashboard } from "../state/dashboard.ts";
import { prepareDownload } from "../state/prepare-download.ts";
import { byId, html, show } from "./dom.ts";
import { formatCount } from "./format.ts";

/** The button that exports the orders, and the offer to save what was exported. */
export function mountDownload(dashboard: Dashboard): void {
  const button = byId("export", HTMLButtonElement);
  const offer = byId("download", HTMLElement);
  button.addEventListener("click", () => dashboard.offerDownload(prepareDownload(dashboard)));

  let address: string | undefined;
  dashboard.watch(["download"], ({ download }) => {
    if (address !== undefined) URL.revokeObjectURL(address);
    address = download && URL.createObjectURL(new Blob([download.text], { type: "text/csv" }));
    if (download === undefined || address === undefined) return show(offer);
    show(
      offer,
      html(
        "div",
        { class: "download" },
        html("p", {}, `${download.name} is ready: ${formatCount(download.rows)} orders.`),
        html("a", { class: "button strong", href: address, download: download.name }, "Save file"),
        html("button", { type: "button", class: "button quiet", onclick: dismiss }, "Dismiss"),
      ),
    );
  });

  function dismiss(): void {
    dashboard.offerDownload(undefined);
    button.focus();
  }
}
