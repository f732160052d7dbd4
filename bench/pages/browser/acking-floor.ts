import { createAckingFloorSpeaker } from "../acking-floor-speaker.ts";
import { openPage } from "./open-page.ts";

openPage(createAckingFloorSpeaker);
