import { separator } from "./floor-id.ts";
import { createFloorSpeaker } from "./floor-speaker.ts";
import type { CreateSpeaker } from "./speaker.ts";

/** The floor's page for a hub that joins messages: it answers all of one in one. */
export const createBatchingFloorSpeaker: CreateSpeaker = ({ send, ...options }) => {
  let answers: string[] | undefined;
  const page = createFloorSpeaker({ ...options, send: (message) => (answers ? answers.push(message) : send(message)) });
  return {
    opened: page.opened,
    receive(message) {
      answers = [];
      for (const one of message.split(separator)) page.receive(one);
      send(answers.join(separator));
    },
  };
};
