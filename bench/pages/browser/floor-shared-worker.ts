import { createFloorWorker } from "./floor-worker.ts";

declare const self: { readonly location: Location; onconnect(event: MessageEvent): void };

const addTab = createFloorWorker(new URLSearchParams(self.location.search).get("hub"));

self.onconnect = ({ ports: [tab] }) => tab && addTab(tab);
