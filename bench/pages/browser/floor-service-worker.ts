import { createFloorWorker } from "./floor-worker.ts";

declare const self: { readonly location: Location; onmessage(event: MessageEvent): void };

const addTab = createFloorWorker(new URLSearchParams(self.location.search).get("hub"));

// A message without a port is a sign of life from the tab: the browser stops a ServiceWorker without messages.
self.onmessage = ({ ports: [tab] }) => tab && addTab(tab);
