import { answerTo } from "./answers.ts";
import type { ToolArguments } from "./answers.ts";
import type { CreateSpeaker } from "./speaker.ts";

/** The page's side of Pagewire's wire, by hand: frames of a header line and a payload. */
export const createWireSpeaker: CreateSpeaker = ({ tab, tools, send, ready }) => ({
  opened() {
    send(JSON.stringify({ type: "hello", versions: [1], tab, app: "bench", focused: false, running: [] }));
  },
  receive(message) {
    const end = message.indexOf("\n");
    const { type, id } = JSON.parse(end < 0 ? message : message.slice(0, end)) as { type: string; id: string };
    if (type === "call") {
      send(`{"type":"ack","id":"${id}"}`);
      const answer = answerTo(JSON.parse(message.slice(end + 1)) as ToolArguments);
      send(`{"type":"result","id":"${id}"}\n${JSON.stringify(answer)}`);
    } else if (type === "heartbeat") {
      send(message);
    } else if (type === "welcome") {
      send(`{"type":"offer"}\n${JSON.stringify({ tools, resources: [], resourceTemplates: [], prompts: [] })}`);
      ready();
    } else if (type === "refused") {
      throw new Error(`The hub refused the page: ${message}`);
    }
  },
});
