import { useState } from "react";
import { describesSame } from "./describes-same.ts";

/** The value of an earlier render, as long as newer ones are equal to it. */
export function useSame<Value>(value: Value): Value {
  const [same, setSame] = useState(value);
  if (describesSame(same, value)) return same;
  setSame(value);
  return value;
}
