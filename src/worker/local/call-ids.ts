// The ids of calls that a worker makes itself. They look unlike any hub's, so that a frame about a call tells whose it
// is, also to the worker that comes after this one.
const mark = "worker:";

/** Ids that no other worker, and no hub, ever gave. */
export function createCallIds(): () => string {
  const run = crypto.randomUUID().replaceAll("-", "");
  let count = 0;
  return () => `${mark}${run}.${(count++).toString(36)}`;
}

/** Whether a worker gave this id, this one or an earlier one. */
export function isFromWorker(id: string): boolean {
  return id.startsWith(mark);
}
