import { createBatchingFloorSpeaker } from "../batching-floor-speaker.ts";
import { openPage } from "./open-page.ts";

openPage(createBatchingFloorSpeaker);
