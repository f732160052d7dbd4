import { answerTo } from "./answers.ts";
import type { ToolArguments } from "./answers.ts";
import { idLength } from "./floor-id.ts";
import type { CreateSpeaker } from "./speaker.ts";

/** The floor's page: its offer once, then behind the id of each call what it makes of it. */
export function floorSpeakerOf<Given>(respond: (given: Given, id: string) => object): CreateSpeaker {
  return ({ tools, send, ready }) => ({
    opened() {
      send(JSON.stringify(tools));
      ready();
    },
    receive(message) {
      const id = message.slice(0, idLength);
      send(id + JSON.stringify(respond(JSON.parse(message.slice(idLength)) as Given, id)));
    },
  });
}

/** It is given arguments, and answers them. */
export const createFloorSpeaker = floorSpeakerOf<ToolArguments>(answerTo);
