import fc from 'fast-check';

/*
 * Properties are tried on other values each time, so that people who work on this find what is wrong; in CI on the same ones, so
 * that what fails there is what was changed. `PROPERTY_SEED=N` chooses, and repeats what a failure names as its seed.
 */
const inCi = Boolean(process.env.CI) && process.env.CI !== 'false';
const seed = process.env.PROPERTY_SEED ?? (inCi ? '20261130' : undefined);
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
