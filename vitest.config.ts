import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests never see this machine's home or the agents' variables, also when vitest is started by hand.
    globalSetup: ['test/house/isolate.ts'],
    setupFiles: ['test/house/property-seed.ts'],
    // These find what hangs. Nothing is to fail because a machine has other work.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
