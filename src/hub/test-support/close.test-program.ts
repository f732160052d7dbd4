// Starts a hub, leaves everything unfinished that peers can leave unfinished, and closes it. The process must then
// exit.
import { connectAgent } from "./agent.test-helper.ts";
import { createHub } from "../create-hub.ts";
import { signAgentToken, signPageToken } from "../guard/tokens.ts";
import { beginCall, callTool } from "./http.test-helper.ts";
import { mintCode, signIn } from "./own.test-helper.ts";
import { byHand, connectPage, openChannels, openPage } from "./page.test-helper.ts";
import { shop } from "./peer.test-helper.ts";

let listeners = 0;
const token = "a-token";
const hub = await createHub({
  port: 0,
  agentToken: () => token,
  allowedOrigins: () => [shop],
  demo: { port: 0 },
  onStateChange() {
    listeners++;
    return () => void listeners--;
  },
});
const door = { url: hub.url, token };

const page = await connectPage(hub.url, { tab: "page" });
const lost = await connectPage(hub.url, { tab: "lost", tools: ["lost"], handle: byHand });
const frozen = await connectPage(hub.url, { tab: "frozen", tools: ["frozen"] });
const open = await openChannels(hub.url);
await open({ tab: "channel" }).greet();
open();
await openPage(hub.url);

// A client of the demo that keeps its connection open, and one that signed in and left a code unused.
await (await fetch(`${hub.demo}/`)).text();
await signIn(hub, token);
await mintCode(hub, token);

// A keyed call whose outcome is stored, one that timed out, one whose caller disconnected, and one that is still
// running.
const agent = await connectAgent(hub.url, { token });
const visitor = await connectAgent(hub.url, { token, name: "visitor" });
await agent.call("work", { id: "1", tab: page.tabId, key: "key" });
await callTool(door, "lost", { headers: { "Pagewire-Timeout": "0.2" } });
const orphan = beginCall(door, "lost", { body: '{"orphan":1}' });
lost.ack(await idOfCall('{"orphan":1}'));
await lost.settled();
orphan.destroy();
beginCall(door, "lost", { body: '{"other":1}' });
lost.ack(await idOfCall('{"other":1}'));

frozen.send({ type: "suspended", reason: "back-forward-cache" });
await frozen.settled();
lost.socket.terminate();
visitor.link.close();
await visitor.closed;

await hub.close();

// Tokens that are valid far longer than their connections.
const secret = "a-secret-of-at-least-32-characters";
const manyHub = await createHub({ port: 0, jwt: { secret } });
const pageToken = await signPageToken({ secret, subject: "ann" });
const left = await connectPage(manyHub.url, { tab: "left", token: pageToken });
left.socket.terminate();
await connectPage(manyHub.url, { tab: "stays", token: pageToken });
const openMore = await openChannels(manyHub.url);
const channel = await openMore({ tab: "channel", token: pageToken }).greet();
channel.link.close();
await connectAgent(manyHub.url, { token: await signAgentToken({ secret, subject: "ann" }) });
await manyHub.close();
console.log(`closed, ${listeners} listeners left`);

/** A call that times out before it is sent never reaches the page. */
async function idOfCall(given: string): Promise<string> {
  const call = await lost.nextCall();
  return call.arguments === given ? call.id : idOfCall(given);
}
