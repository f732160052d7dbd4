import { createFloorWorker } from "./floor-worker.ts";

declare const self: { readonly location: Location; onmessage(event: MessageEvent): void };

const addTab = createFloorWorker(new URLSearchParams(self.location.search).get("hub"));

// A message without a port is a sign that the tab is there: the browser stops a ServiceWorker that hears nothing.
self.onmessage = ({ ports: [tab] }) => tab && addTab(tab);
