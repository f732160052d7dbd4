import { answerTo } from "./answers.ts";
import type { ToolArguments } from "./answers.ts";
import { idLength } from "./floor-id.ts";
import type { CreateSpeaker } from "./speaker.ts";

/** The floor's page: its offer once, then an answer behind the id of each call. */
export const createFloorSpeaker: CreateSpeaker = ({ tools, send, ready }) => ({
  opened() {
    send(JSON.stringify(tools));
    ready();
  },
  receive(message) {
    const given = JSON.parse(message.slice(idLength)) as ToolArguments;
    send(message.slice(0, idLength) + JSON.stringify(answerTo(given)));
  },
});
