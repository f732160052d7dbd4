import { idLength } from "./floor-id.ts";
import { createFloorSpeaker } from "./floor-speaker.ts";
import type { CreateSpeaker } from "./speaker.ts";

/** As long as a frame that acks, under an id that the floor's hub does not know. */
const ack = "-".repeat(idLength).padEnd(50);

/** The floor's page, with a message before each answer that says that the call is here. */
export const createAckingFloorSpeaker: CreateSpeaker = (options) => {
  const page = createFloorSpeaker(options);
  return {
    opened: page.opened,
    receive(message) {
      options.send(ack);
      page.receive(message);
    },
  };
};
