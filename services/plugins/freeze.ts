/** Freezes all that properties reach; a Map or Set loses its methods of change. */
export function freezeDeep(root: unknown): void {
  const reached = new Set<object>();
  const visit = (value: unknown): void => {
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return;
    if (reached.has(value) || ArrayBuffer.isView(value)) return;
    reached.add(value);
    if (Object.isExtensible(value)) refuseChanges(value);
    Object.freeze(value);
    for (const key of Reflect.ownKeys(value)) {
      visit(Object.getOwnPropertyDescriptor(value, key)?.value);
    }
  };
  visit(root);
}

/** What a Map or Set holds is not in its properties. */
function refuseChanges(value: object): void {
  const kind = Object.prototype.toString.call(value);
  if (kind !== '[object Map]' && kind !== '[object Set]') return;
  const refuse = (): never => {
    throw new TypeError(`${kind} is not extensible`);
  };
  for (const key of ['set', 'add', 'delete', 'clear']) {
    Object.defineProperty(value, key, { value: refuse });
  }
}
