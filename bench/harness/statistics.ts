/** The middle value; of an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
}

/** The smallest value that at least this part of all values does not exceed. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? NaN;
}

/** A figure with no more digits than it deserves. */
export function round(value: number): number {
  return Number(value.toPrecision(value >= 1000 ? 4 : 3));
}

export type Interval = readonly [low: number, high: number];

/** Student's t for 95 %, two-sided, by degrees of freedom from 1 on. */
const students = [12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145];
const studentOfMany = 2.1;

/** The 95 % confidence interval of the geometric mean of ratios; undefined for fewer than two. */
export function intervalOf(ratios: readonly number[]): Interval | undefined {
  const count = ratios.length;
  if (count < 2 || ratios.some((ratio) => !(ratio > 0))) return undefined;
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / count;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (count - 1);
  const half = (students[count - 2] ?? studentOfMany) * Math.sqrt(variance / count);
  return [Math.exp(mean - half), Math.exp(mean + half)];
}

/** How far an interval may reach from its middle, as a part of it: to give the figure, and to say on which side of a bar it is. */
const narrow = 0.04;
const narrowBesideBar = 0.1;

/** Whether more ratios would change nothing that matters: the interval is narrow, or less so and clear of the bar. */
export function isSettled(ratios: readonly number[], bar?: number): boolean {
  const interval = ratios.length < 3 ? undefined : intervalOf(ratios);
  if (interval === undefined) return false;
  const [low, high] = interval;
  const reach = (high - low) / (high + low);
  if (reach <= narrow) return true;
  return bar !== undefined && reach <= narrowBesideBar && (high < bar || low > bar);
}
