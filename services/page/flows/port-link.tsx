import type { JSX } from 'preact';
import type { RunPage } from '../../report/page/page-data.js';
import { goToPort } from '../address.js';

export function PortLink({ name }: { readonly name: string }): JSX.Element {
  return (
    <button
      type="button"
      class="link"
      onClick={() => {
        goToPort(name);
      }}
    >
      {name}
    </button>
  );
}

/** A port leads to its view; other places and causes are words. */
export function PlaceLink(props: { readonly run: RunPage; readonly name: string }): JSX.Element {
  const { run, name } = props;
  return run.ports.some((port) => port.name === name) ? <PortLink name={name} /> : <>{name}</>;
}
