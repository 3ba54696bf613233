import type { JSX } from 'preact';
import { goToFlow } from '../address.js';

/** The name of a flow, which leads to its view. */
export function FlowLink({ name }: { readonly name: string }): JSX.Element {
  return (
    <button
      type="button"
      class="link listed"
      onClick={() => {
        goToFlow(name);
      }}
    >
      {name}
    </button>
  );
}
