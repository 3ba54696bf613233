import fc from 'fast-check';

// The same examples every time: a property that fails, fails again.
fc.configureGlobal({ seed: 1 });

export { fc };
