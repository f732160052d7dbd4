// A page that opens others and does nothing else.
import { openNext } from "./open-next.ts";

openNext();
