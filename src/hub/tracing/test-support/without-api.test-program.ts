// Runs a hub where the OpenTelemetry API cannot be loaded, and calls a page in a trace.
import { createHub } from "../../create-hub.ts";
import { callTool } from "../../test-support/http.test-helper.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { closeSockets, shop } from "../../test-support/peer.test-helper.ts";

const token = "a-token";
const log = ({ level, event }: { readonly level: string; readonly event: string }) => {
  if (level === "error") console.log(event);
};
const hub = await createHub({ port: 0, agentToken: () => token, allowedOrigins: () => [shop], log });
const page = await connectPage(hub.url);
const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const { status } = await callTool({ url: hub.url, token }, "work", { headers: { traceparent } });
const { frame } = await page.next("call");
const loaded = await import("@opentelemetry/api").then(
  () => "loaded",
  () => "missing",
);
console.log(status, frame.trace?.traceparent === traceparent, loaded);
closeSockets();
await hub.close();
