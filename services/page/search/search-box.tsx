import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Find } from './find.js';
import { matching } from './find.js';
import './search.css';

/** Finds whatever has a view; `/` goes there from anywhere. */
export function SearchBox(props: {
  readonly finds: () => Find[];
  /** Kinds of what is found, in words. */
  readonly kinds?: string;
}): JSX.Element {
  const { finds, kinds = 'port, host, switch, flow or episode' } = props;
  const [words, setWords] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [chosen, choose] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const isWanted = words.trim() !== '';
  // Thousands of names, made when they are searched for the first time.
  const all = useMemo(() => (isWanted ? finds() : []), [finds, isWanted]);
  const found = useMemo(() => (isWanted ? matching(all, words) : []), [all, words]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('keydown', onKey);
    };
  }, []);
  const open = (find: Find | undefined): void => {
    if (find === undefined) return;
    find.open();
    setWords('');
    setOpen(false);
    input.current?.blur();
  };
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key === 'Enter') open(found[chosen]);
    if (key === 'Escape') setOpen(false);
    if (key === 'ArrowDown') choose(Math.min(found.length - 1, chosen + 1));
    if (key === 'ArrowUp') choose(Math.max(0, chosen - 1));
  };
  return (
    <div class="search">
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="search"
        aria-expanded={isOpen && words !== ''}
        aria-controls="found"
        placeholder="search  ( / )"
        title={kinds}
        value={words}
        onFocus={() => {
          setOpen(true);
        }}
        onBlur={() => {
          setOpen(false);
        }}
        onInput={(event) => {
          setWords(event.currentTarget.value);
          choose(0);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
      />
      {isOpen && words.trim() !== '' && (
        <ul id="found" role="listbox">
          {found.map((find, i) => (
            <li
              key={`${find.kind} ${find.name} ${find.detail}`}
              role="option"
              aria-selected={i === chosen}
              // The box closes when it loses the focus, which a click would take from it first.
              onMouseDown={(event) => {
                event.preventDefault();
                open(find);
              }}
            >
              <small>{find.kind}</small>
              <b>{find.name}</b>
              <span>{find.detail}</span>
            </li>
          ))}
          {found.length === 0 && <li class="none">nothing matches “{words.trim()}”</li>}
        </ul>
      )}
    </div>
  );
}
