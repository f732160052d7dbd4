/** Whether two values of plain data are equal. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  return (
    names.length === others.length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(Reflect.get(one, name), Reflect.get(other, name)))
  );
}
