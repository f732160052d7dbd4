import { answerTo } from "./answers.ts";
import type { ToolArguments } from "./answers.ts";
import type { CreateSpeaker } from "./speaker.ts";

const separator = "\x1e";
/** The SDK's limits: a longer frame is sent by itself, and a message of several frames is at most so long. */
const longestFrame = 16_384;
const longestMessage = 65_536;

/** The page's side of Pagewire's wire, by hand: frames of a header line and a payload, one in a message or several. */
export const createWireSpeaker: CreateSpeaker = ({ tab, tools, token, send, ready }) => {
  function receive(message: string): void {
    if (!message.startsWith(separator)) return take(message, send, send);
    const [acks, others]: [string[], string[]] = [[], []];
    for (const frame of message.slice(1).split(separator))
      take(
        frame,
        (ack) => acks.push(ack),
        (other) => others.push(other),
      );
    sendAll(acks);
    sendAll(others);
  }

  function sendAll(frames: readonly string[]): void {
    let joined = "";
    for (const frame of frames) {
      if (joined.length + frame.length > longestMessage || frame.length > longestFrame) {
        if (joined) send(joined);
        joined = "";
      }
      if (frame.length > longestFrame) send(frame);
      else joined += separator + frame;
    }
    if (joined) send(joined);
  }

  function take(message: string, sendAck: (frame: string) => void, sendOther: (frame: string) => void): void {
    const end = message.indexOf("\n");
    const { type, id } = JSON.parse(end < 0 ? message : message.slice(0, end)) as { type: string; id: string };
    if (type === "call") {
      sendAck(`{"type":"ack","id":"${id}"}`);
      const answer = answerTo(JSON.parse(message.slice(end + 1)) as ToolArguments);
      sendOther(`{"type":"result","id":"${id}"}\n${JSON.stringify(answer)}`);
    } else if (type === "heartbeat") {
      sendOther(message);
    } else if (type === "welcome") {
      sendOther(`{"type":"offer"}\n${JSON.stringify({ tools, resources: [], resourceTemplates: [], prompts: [] })}`);
      ready();
    } else if (type === "refused") {
      throw new Error(`The hub refused the page: ${message}`);
    }
  }

  return {
    opened() {
      const hello = {
        type: "hello",
        versions: [1],
        tab,
        app: "bench",
        focused: false,
        running: [],
        batches: true,
        token,
      };
      send(JSON.stringify(hello));
    },
    receive,
  };
};
