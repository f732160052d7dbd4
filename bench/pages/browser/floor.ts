import { createFloorSpeaker } from "../floor-speaker.ts";
import { openPage } from "./open-page.ts";

openPage(createFloorSpeaker);
